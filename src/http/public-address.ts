import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** True for an IP address that anybody on the internet may be sent to: not internal, reserved, shared or a metadata service. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !closed.check(ip, 'ipv4')
  if (!isIPv6(ip) || ip.includes('%')) return false
  // Only the global unicast range is handed out; everything else, mapped and translated IPv4 too, is refused.
  return globalUnicast.check(ip, 'ipv6') && !closed.check(ip, 'ipv6')
}

/** True for names that mean a machine of one's own, whatever a name server says of them. */
export function isInternalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.+$/, '')
  if (!name.includes('.')) return true
  return internalEndings.some((ending) => name === ending.slice(1) || name.endsWith(ending))
}

const internalEndings = [
  '.localhost',
  '.local',
  '.localdomain',
  '.internal',
  '.intranet',
  '.lan',
  '.home',
  '.home.arpa',
  '.corp',
  '.private',
  '.onion',
  '.test',
  '.invalid',
  '.in-addr.arpa',
  '.ip6.arpa',
]

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

const closed = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's wire server, a metadata service at an address that looks public.
  ['168.63.129.16', 32],
] as const) {
  closed.addSubnet(network, bits, 'ipv4')
}
for (const [network, bits] of [
  // Protocol assignments, Teredo and ORCHID; then documentation, 6to4 (which carries an IPv4 address) and AS112.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const) {
  closed.addSubnet(network, bits, 'ipv6')
}
