/** Whether an error says that something the work needs cannot be reached for now, so that waiting helps. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true
  if ('code' in error && outageCodes.test(String(error.code))) return true
  if (statusOf(error) >= 500) return true
  return outageMessages.test(error.message) || isOutage(error.cause)
}

/** Connections that broke or were refused, and PostgreSQL's classes for a lost connection and for a server that stops or starts. */
const outageCodes =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|UND_ERR_\w+|08\w{3}|57P0[123]|53300|25P03)$/

/** What the clients of the database and the object store say without a code. */
const outageMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|socket hang up|aborted$)/

/** The status that a server on the way gave, as clients of object stores carry it. */
function statusOf(error: Error): number {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return 0
  return Number(metadata.httpStatusCode) || 0
}
