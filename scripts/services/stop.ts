import { endService, serviceFolder } from './service.ts'

/** Ends the services that `start.ts` started, and removes their data. */
async function stop(wanted: string[]): Promise<void> {
  for (const name of wanted) {
    const ended = await endService(serviceFolder(name))
    console.error(ended ? `Stopped ${name}.` : `${name} was not running.`)
  }
}

const names = process.argv.slice(2)
await stop(names.length === 0 ? ['browser', 's3', 'postgres'] : names)
