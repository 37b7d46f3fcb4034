export { answerMessage, type McpAnswer, type McpHeaders } from './answer-message.ts'
export { isMcpGet, type McpDependencies, mcpRoutes, noMcpStream } from './mcp-routes.ts'
export { serveStdio } from './serve-stdio.ts'
export type { McpSite } from './tools.ts'
