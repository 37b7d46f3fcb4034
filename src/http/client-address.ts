import { isIPv6 } from 'node:net'

/** The unit in which addresses are counted: an IPv4 address, or the /64 of an IPv6 address, which one person holds whole. */
export function addressUnit(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) return mapped[1]!
  if (!isIPv6(ip)) return ip
  return `${expand(ip.split('%')[0]!).slice(0, 4).join(':')}::/64`
}

function expand(ip: string): string[] {
  const [head = '', tail] = ip.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array<string>(missing).fill('0'), ...after].map((part) =>
    part.replace(/^0+(?=.)/, '').toLowerCase(),
  )
}
