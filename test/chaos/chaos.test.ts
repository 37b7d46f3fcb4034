import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { embeddedGround, type Ground, Installation, sharedGround } from './installation.ts'
import { isBroken, newLedger, settleEnds, settleRelease } from './ledger.ts'
import { killAgainAndAgain } from './kill.ts'
import { writeProject } from './project.ts'

/** A handful of the points that `npm run chaos` kills at. */
async function surviveKills(context: TestContext, ground: Ground, kills: string[]): Promise<void> {
  const installation = new Installation(ground)
  const project = await writeProject(16)
  context.after(async () => {
    await installation.node.kill()
    await project.remove()
    await ground.remove()
  })
  const ledger = newLedger()
  await installation.start()
  await installation.countEnds()
  const { releaseId } = await installation.publish(await project.pack())
  await settleRelease(ledger, installation, {
    id: releaseId,
    name: 'the first publication',
    expected: await project.expected(),
    marker: 'first',
  })
  await installation.node.kill()
  await killAgainAndAgain({
    ledger,
    installation,
    project,
    kills: kills.map((at) => ({ at })),
    report: (line) => context.diagnostic(line),
  })
  await settleEnds(ledger, installation)
  assert.equal(ledger.kills, kills.length)
  assert.ok(!isBroken(ledger), JSON.stringify(ledger, null, 1))
}

test('loses nothing when it is killed at named points of the work (SQLite and disk)', async (context) => {
  await surviveKills(context, await embeddedGround(), [
    'export:page#9',
    'export:completing',
    'export:completed',
    'publish:compiled',
  ])
})

const skip = process.env.QUIRE_TEST_POSTGRES_URL ? false : 'QUIRE_TEST_POSTGRES_URL names no PostgreSQL'
test('loses nothing when it is killed at a named point (PostgreSQL)', { skip }, async (context) => {
  await surviveKills(context, (await sharedGround())!, ['export:archived'])
})
