/** Takes a server-sent event stream in pieces and hands on the data of each event. */
export function readEventStream(onData: (data: string) => void): { push(text: string): void; end(): void } {
  let rest = ''
  let data: string | null = null
  const readLine = (line: string) => {
    if (line === '') {
      if (data !== null) onData(data)
      data = null
    } else if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5)
      data = data === null ? value : `${data}\n${value}`
    }
  }
  return {
    push: (text) => {
      const all = rest === '' ? text : rest + text
      let from = 0
      for (let end = all.indexOf('\n'); end !== -1; end = all.indexOf('\n', from)) {
        readLine(all.slice(from, all[end - 1] === '\r' && end > from ? end - 1 : end))
        from = end + 1
      }
      rest = all.slice(from)
      if (rest.length > longestLine) throw new Error('A line of the event stream has no end.')
    },
    /** Some servers forget the empty line after the last event. */
    end: () => {
      readLine(rest.replace(/\r$/, ''))
      readLine('')
      rest = ''
    },
  }
}

const longestLine = 4 * 1024 * 1024
