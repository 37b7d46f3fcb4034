import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { needPackages } from './debian-packages.ts'
import {
  asUser,
  freePort,
  type Service,
  type SystemUser,
  startProgram,
  systemUser,
  untilReady,
} from './service.ts'

const kinds = ['account', 'container', 'object'] as const

/** OpenStack Swift with its S3 face: a real server that verifies signatures and expiry, with one bucket. */
export async function startS3(folder: string): Promise<Service> {
  needPackages(['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached'])
  const user = systemUser('swift')
  const ports = {
    proxy: await freePort(),
    memcached: await freePort(),
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
  }
  writeConfiguration(folder, user, ports)
  buildRings(folder, user, ports)

  const swift = (server: string) =>
    startProgram(
      folder,
      user,
      `/usr/bin/swift-${server}-server`,
      [join(folder, 'etc', `${server}-server.conf`)],
      {
        SWIFT_DIR: join(folder, 'etc'),
      },
    ).pid
  const pids = [
    startProgram(folder, user, 'memcached', ['-l', '127.0.0.1', '-p', String(ports.memcached), '-m', '32'])
      .pid,
    ...kinds.map(swift),
    swift('proxy'),
  ]

  const server = {
    endpoint: `http://127.0.0.1:${ports.proxy}`,
    region: 'us-east-1',
    bucket: 'quire-test',
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
  }
  const client = new S3Client({ ...server, credentials: { ...server }, forcePathStyle: true, maxAttempts: 1 })
  await untilReady('The S3 server', folder, async () => {
    await client.send(new CreateBucketCommand({ Bucket: server.bucket }))
  })
  client.destroy()
  return { pids, environment: { QUIRE_TEST_S3: JSON.stringify(server) } }
}

type Ports = Record<'proxy' | 'memcached' | (typeof kinds)[number], number>

function writeConfiguration(folder: string, user: SystemUser, ports: Ports): void {
  for (const name of ['etc', 'srv', 'srv/node', 'srv/node/sda1']) {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), user.uid, user.gid)
  }
  const write = (name: string, lines: string[]) =>
    writeFileSync(join(folder, 'etc', name), `${lines.join('\n')}\n`)
  const common = (port: number) => [
    '[DEFAULT]',
    'bind_ip = 127.0.0.1',
    `bind_port = ${port}`,
    'workers = 0',
    `user = ${user.name}`,
    `swift_dir = ${folder}/etc`,
    `devices = ${folder}/srv/node`,
    'mount_check = false',
    'fallocate_reserve = 0',
  ]
  write('swift.conf', [
    '[swift-hash]',
    'swift_hash_path_suffix = quire',
    'swift_hash_path_prefix = tests',
    '[storage-policy:0]',
    'name = default',
    'default = yes',
  ])
  for (const kind of kinds) {
    write(`${kind}-server.conf`, [
      ...common(ports[kind]),
      '[pipeline:main]',
      `pipeline = ${kind}-server`,
      `[app:${kind}-server]`,
      `use = egg:swift#${kind}`,
      ...['replicator', 'updater', 'auditor', 'reconstructor'].map((part) => `[${kind}-${part}]`),
    ])
  }
  write('proxy-server.conf', [
    ...common(ports.proxy),
    '[pipeline:main]',
    'pipeline = catch_errors gatekeeper cache s3api tempauth bulk slo proxy-server',
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'account_autocreate = true',
    'allow_account_management = true',
    '[filter:cache]',
    'use = egg:swift#memcache',
    `memcache_servers = 127.0.0.1:${ports.memcached}`,
    '[filter:s3api]',
    'use = egg:swift#s3api',
    's3_acl = no',
    'location = us-east-1',
    'min_segment_size = 5242880',
    '[filter:tempauth]',
    'use = egg:swift#tempauth',
    'user_test_tester = testing .admin',
    ...['catch_errors', 'gatekeeper', 'bulk', 'slo'].flatMap((name) => [
      `[filter:${name}]`,
      `use = egg:swift#${name}`,
    ]),
  ])
}

function buildRings(folder: string, user: SystemUser, ports: Ports): void {
  for (const kind of kinds) {
    for (const words of [
      ['create', '4', '1', '0'],
      ['add', `r1z1-127.0.0.1:${ports[kind]}/sda1`, '1'],
      ['rebalance'],
    ]) {
      execFileSync('swift-ring-builder', [`${kind}.builder`, ...words], {
        cwd: join(folder, 'etc'),
        stdio: ['ignore', 'ignore', 'inherit'],
        ...asUser(user),
      })
    }
  }
}
