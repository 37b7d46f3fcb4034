/** Runs in previewed pages only: follows the builds, and shows what is wrong with the page at hand. */
export const previewScript = `
;(function () {
  var events = new EventSource('/_quire/preview-events')
  events.addEventListener('built', function () { location.reload() })
  var path = decodeURI(location.pathname).replace(/^\\/|\\/$/g, '').replace(/\\.html$/, '') || 'index'
  function show(problems) {
    var own = problems.filter(function (problem) {
      var page = problem.file.replace(/\\.mdx?$/, '')
      return page === path || page === path + '/index' || /^(docs|mint)\\.json$/.test(problem.file)
    })
    if (own.length === 0) return
    var box = document.createElement('aside')
    box.setAttribute('aria-label', 'Problems of this page')
    box.style.cssText = 'position:fixed;inset:auto 1rem 1rem auto;z-index:9999;max-width:min(32rem,calc(100vw - 2rem));max-height:50vh;overflow:auto;padding:.9rem 1.1rem;border-radius:.75rem;font:13px/1.5 system-ui,sans-serif;background:#1d1d22;color:#f3f3f6;box-shadow:0 12px 40px #0006'
    var title = document.createElement('strong')
    title.textContent = own.length === 1 ? '1 problem' : own.length + ' problems'
    box.append(title)
    own.slice(0, 20).forEach(function (problem) {
      var line = document.createElement('p')
      line.style.cssText = 'margin:.5rem 0 0'
      line.textContent = problem.file + ':' + problem.line + ':' + problem.column + '  ' + problem.message + ' ' + problem.hint
      line.style.color = problem.severity === 'error' ? '#ff9d94' : '#f0cd7a'
      box.append(line)
    })
    document.body.append(box)
  }
  addEventListener('DOMContentLoaded', function () {
    fetch('/_quire/preview-problems').then(function (answer) { return answer.json() }).then(show)
  })
})()
`
