/** What the parts below share. */
const quire = (() => {
  const settings = window.quireSettings || {}
  const root = document.body.dataset.root || ''
  const words = JSON.parse(document.body.dataset.words || '{}')
  const own = document.currentScript
  const read = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const write = (key, value) => {
    try {
      localStorage.setItem(key, value)
    } catch {}
  }
  const loadScript = (address) =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script')
      script.src = address
      script.onload = resolve
      script.onerror = () => reject(new Error(`${address} could not be loaded.`))
      document.head.append(script)
    })
  const copyText = async (text) => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      const area = document.createElement('textarea')
      area.value = text
      area.style.position = 'fixed'
      area.style.opacity = '0'
      document.body.append(area)
      area.select()
      document.execCommand('copy')
      area.remove()
    }
  }
  const svg = (path) =>
    `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" width="1em" height="1em" aria-hidden="true">${path}</svg>`
  const icons = {
    copy: svg(
      '<rect width="14" height="14" x="8" y="8" rx="2"/><path d="M4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2"/>',
    ),
    check: svg('<path d="M20 6 9 17l-5-5"/>'),
    search: svg('<circle cx="11" cy="11" r="8"/><path d="m21 21-4.3-4.3"/>'),
    page: svg(
      '<path d="M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7Z"/><path d="M14 2v4a2 2 0 0 0 2 2h4M16 13H8M16 17H8M10 9H8"/>',
    ),
    hash: svg('<path d="M4 9h16M4 15h16M10 3 8 21M16 3l-2 18"/>'),
    clock: svg('<circle cx="12" cy="12" r="10"/><path d="M12 6v6l4 2"/>'),
  }
  const say = (key, fallback) => words[key] || fallback
  return { settings, root, own, read, write, loadScript, copyText, icons, say }
})()
