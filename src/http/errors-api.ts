import { z } from 'zod'

/** The one shape of every error of every endpoint; also a valid RFC 9457 problem. */
export const errorSchema = z
  .object({
    error: z.string().describe('A sentence a person can act on.'),
    code: z.string().describe('A stable name for programs, such as invalid_request.'),
    message: z.string().describe('The same sentence as error.'),
    status: z.number().int(),
    requestId: z.string().describe('Also in the header X-Request-Id; name it when you ask for help.'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .describe('Every fault of the request, each with its place; empty where there is one only.'),
    type: z.string().describe('RFC 9457: names the kind of problem.'),
    title: z.string(),
    detail: z.string(),
    instance: z.string(),
  })
  .meta({ id: 'Error' })

export type ErrorBody = z.infer<typeof errorSchema>
