import { parseArgs } from 'node:util'
import { runScale } from '../scale/run.ts'
import { fillDisk } from './fill-disk.ts'
import { freezeAlone, freezeAndTakeOver } from './freeze.ts'
import { embeddedGround, type Ground, Installation, sharedGround } from './installation.ts'
import { isBroken, type Ledger, newLedger, settleEnds, settleRelease } from './ledger.ts'
import { type Kill, killAgainAndAgain, pointsOf } from './kill.ts'
import { moveClock } from './move-clock.ts'
import { type Project, writeProject } from './project.ts'

const usage = `npm run chaos -- [--only points,random,freeze,clock,disk] [--seed 1234] [--pages 42] [--random 50]
npm run chaos -- --scale [--rounds 3] [--cut 30]

Starts real servers on temporary folders and does them harm: SIGKILL at 60 named points and at 50 random moments, SIGSTOP for
longer than a lease, a clock that jumps, a disk that is full. Ends with a table and with code 1 where a promise is broken.
--scale runs 2 API nodes and 3 workers behind a balancer instead, on a PostgreSQL and an S3 server, and takes these away.
With QUIRE_TEST_POSTGRES_URL (and QUIRE_TEST_S3) a frozen worker is also replaced by another; see scripts/services.
`

const report = (line: string) => console.log(`  ${line}`)

type Part = { name: string; run(): Promise<string | undefined> }

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      seed: { type: 'string' },
      pages: { type: 'string', default: '42' },
      random: { type: 'string', default: '50' },
      scale: { type: 'boolean' },
      rounds: { type: 'string', default: '3' },
      cut: { type: 'string', default: '30' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9))
  const pageCount = Number(values.pages)
  console.log(`Seed ${seed}; the same faults again: npm run chaos -- --seed ${seed}`)
  const wanted = values.only?.split(',')
  const ledger = newLedger()
  const project = await writeProject(pageCount)
  const skipped: string[] = []
  try {
    const scale: Part = {
      name: 'scale',
      run: () =>
        runScale({ ledger, rounds: Number(values.rounds), cutMs: Number(values.cut) * 1000, report }),
    }
    const parts = values.scale
      ? [scale]
      : allParts({ ledger, project, seed, pageCount, randomKills: Number(values.random) })
    for (const part of parts) {
      if (wanted && !wanted.includes(part.name)) continue
      console.log(`\n${part.name}`)
      const began = performance.now()
      const reason = await part.run()
      console.log(`  took ${Math.round((performance.now() - began) / 1000)} s`)
      if (reason) skipped.push(`${part.name}: ${reason}`)
    }
  } finally {
    await project.remove()
  }
  console.log(`\n${table(ledger)}`)
  for (const line of skipped) console.log(`Skipped ${line}.`)
  if (isBroken(ledger)) process.exitCode = 1
}

function allParts(input: {
  ledger: Ledger
  project: Project
  seed: number
  pageCount: number
  randomKills: number
}): Part[] {
  const { ledger, project, pageCount } = input
  const random = randomFrom(input.seed)
  const on = async (ground: Ground, work: (installation: Installation) => Promise<void>): Promise<void> => {
    const installation = new Installation(ground)
    try {
      await prepare(ledger, installation, project)
      await work(installation)
      await installation.node.kill()
      await settleEnds(ledger, installation)
    } finally {
      await installation.node?.kill()
      await ground.remove()
    }
  }
  const killAll = async (kills: Kill[]): Promise<undefined> => {
    await on(await embeddedGround(), (installation) =>
      killAgainAndAgain({ ledger, installation, project, kills, report }),
    )
  }
  return [
    {
      name: 'points',
      run: () =>
        killAll(
          [...pointsOf('export', 21, pageCount - 1), ...pointsOf('publish', 21, pageCount)].map((at) => ({
            at,
          })),
        ),
    },
    {
      name: 'random',
      run: () =>
        killAll(
          Array.from({ length: input.randomKills }, (_, index): Kill => {
            const kind = index < input.randomKills / 2 ? 'export' : 'publish'
            return { kind, afterMs: Math.floor(random() * 2_500) }
          }),
        ),
    },
    {
      name: 'freeze',
      run: async () => {
        await on(await embeddedGround(), async (installation) => {
          for (const point of ['export:page#5', 'export:archived'])
            await freezeAlone({ ledger, installation, project, point })
        })
        const shared = await sharedGround()
        if (!shared) return 'QUIRE_TEST_POSTGRES_URL names no PostgreSQL, so no second worker can take over'
        await on(shared, async (installation) => {
          for (const point of ['export:page#5', 'export:completing'])
            await freezeAndTakeOver({ ledger, installation, project, point })
        })
        return undefined
      },
    },
    {
      name: 'clock',
      run: async () => {
        await on(await embeddedGround(), (installation) => moveClock({ ledger, installation, project }))
        return undefined
      },
    },
    { name: 'disk', run: () => fillDisk({ ledger, project }) },
  ]
}

/** A first start, a first publication, and a count of the ends of exports. */
async function prepare(ledger: Ledger, installation: Installation, project: Project): Promise<void> {
  await installation.start()
  await installation.countEnds()
  await project.change('first')
  const { releaseId } = await installation.publish(await project.pack())
  const expected = await project.expected()
  await settleRelease(ledger, installation, {
    id: releaseId,
    name: 'first publication',
    expected,
    marker: 'first',
  })
  await installation.node.kill()
}

function table(ledger: Ledger): string {
  const row = (name: string, list: string[]) =>
    [`${name.padEnd(34)}${String(list.length).padStart(6)}`, ...list.map((line) => `    ${line}`)].join('\n')
  return [
    `${'processes killed'.padEnd(34)}${String(ledger.kills).padStart(6)}`,
    `${'jobs followed to their end'.padEnd(34)}${String(ledger.jobs).padStart(6)}`,
    row('jobs lost', ledger.lost),
    row('completed twice', ledger.twice),
    row('wrong bundles', ledger.wrong),
    row('progress went down', ledger.progressDown),
    row('other broken promises', ledger.other),
    `${'slowest start of a process'.padEnd(34)}${(ledger.slowestStartMs / 1000).toFixed(1).padStart(6)} s`,
    `${'slowest resume after it'.padEnd(34)}${(ledger.slowestResumeMs / 1000).toFixed(1).padStart(6)} s (target 15 s)`,
  ].join('\n')
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

await main()
