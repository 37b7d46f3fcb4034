/** Runs before the first paint: marks that scripts run and sets the colour scheme, so that nothing flashes. */
;(() => {
  const root = document.documentElement
  const [first, second] = (root.dataset.appearance || 'system').split(' ')
  const strict = first === 'strict'
  const preferred = strict ? second : first
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    let chosen = null
    try {
      chosen = strict ? null : localStorage.getItem('quire-theme')
    } catch {}
    const scheme = chosen || preferred
    const theme = scheme === 'light' || scheme === 'dark' ? scheme : dark.matches ? 'dark' : 'light'
    root.dataset.theme = theme
    root.classList.toggle('dark', theme === 'dark')
    root.classList.toggle('light', theme === 'light')
  }
  const { fonts, mono } = document.currentScript.dataset
  if (location.protocol === 'file:') {
    // From a disk nothing can be asked for early, but it is there at once: the text waits that moment.
    for (const [family, href] of [
      ['Inter', fonts],
      ['JetBrains Mono', mono],
    ]) {
      if (!href) continue
      const unicodeRange = 'U+20-7E, U+A0-FF, U+2010-2027, U+20AC'
      const face = new FontFace(family, `url("${href}")`, {
        weight: '100 900',
        display: 'block',
        unicodeRange,
      })
      document.fonts.add(face)
      face.load().catch(() => {})
    }
  } else if (fonts) {
    for (const href of fonts.split(' ')) {
      document.head.append(
        Object.assign(document.createElement('link'), {
          rel: 'preload',
          as: 'font',
          type: 'font/woff2',
          crossOrigin: 'anonymous',
          href,
        }),
      )
    }
  }
  root.classList.add('js')
  apply()
  dark.addEventListener('change', apply)
  addEventListener('storage', (event) => {
    if (event.key === 'quire-theme') apply()
  })
  root.addEventListener('quire-theme', apply)
  try {
    const closed = localStorage.getItem('quire-banner')
    if (closed && /^[0-9a-f]+$/.test(closed)) {
      const style = document.createElement('style')
      style.textContent = `[data-banner="${closed}"]{display:none!important}`
      document.head.append(style)
    }
  } catch {}
})()
