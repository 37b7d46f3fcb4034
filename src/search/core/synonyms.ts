/**
 * Words that documentation uses for the same thing, mostly a short form and its long one. They are looked for beside
 * the word asked, with less weight.
 */
export function synonymsOf(word: string): string[] {
  return synonymTable.get(word) ?? []
}

const synonymGroups = [
  'k8s kubernetes',
  'db database',
  'dbs databases',
  'auth authentication authorization',
  'login signin',
  'config configuration',
  'configs configurations',
  'repo repository',
  'repos repositories',
  'env environment',
  'js javascript',
  'ts typescript',
  'py python',
  'docs documentation',
  'app application',
  'apps applications',
  'dir directory folder',
  'param parameter',
  'params parameters',
  'arg argument',
  'args arguments',
  'var variable',
  'vars variables',
  'img image',
  'msg message',
  'spec specification',
  'perf performance',
  'prod production',
  'dev development',
  'admin administrator',
  'creds credentials',
  'ssl tls',
  'postgres postgresql',
  'golang go',
  'delete remove',
  'deleting removing',
  'cancel stop',
  'cost pricing',
  'price pricing',
  'quota limit',
  'upgrade update',
  'regex expression',
  'async asynchronous',
  'sync synchronous',
  'websocket websockets',
  'vm vms',
  'os system',
  'ui dashboard interface',
  'gui interface',
  'cli command',
  'id identifier',
  'ids identifiers',
  'max maximum',
  'min minimum',
  'num number',
  'info information',
  'error failure',
  'fail failure',
  'crash failure',
  'slow performance',
  'customize custom',
]

const synonymTable = new Map<string, string[]>()
for (const group of synonymGroups) {
  const words = group.split(' ')
  for (const word of words) {
    const others = words.filter((other) => other !== word)
    synonymTable.set(word, [...(synonymTable.get(word) ?? []), ...others])
  }
}
