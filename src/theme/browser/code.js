/** Copy buttons, long blocks that open, and diagrams. */
;(() => {
  for (const block of document.querySelectorAll('.code-block:not(.no-copy)')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy-button'
    button.setAttribute('aria-label', quire.say('copy', 'Copy'))
    button.innerHTML = quire.icons.copy
    button.addEventListener('click', async () => {
      const code = block.querySelector('code')
      const lines = [...code.querySelectorAll('.line')]
      const kept = lines.filter((line) => !line.classList.contains('removed'))
      await quire.copyText(
        lines.length > 0 ? kept.map((line) => line.textContent).join('\n') : code.textContent,
      )
      button.innerHTML = quire.icons.check
      button.classList.add('copied')
      button.setAttribute('aria-label', quire.say('copied', 'Copied'))
      setTimeout(() => {
        button.innerHTML = quire.icons.copy
        button.classList.remove('copied')
        button.setAttribute('aria-label', quire.say('copy', 'Copy'))
      }, 1600)
    })
    block.append(button)
  }
  for (const button of document.querySelectorAll('.code-expand')) {
    button.addEventListener('click', () => {
      button.parentElement.classList.add('expanded')
      button.parentElement.querySelector('.code').focus()
    })
  }
  // What scrolls can be reached and scrolled by keyboard.
  const scrollable = () => {
    for (const box of document.querySelectorAll('.code, .table-scroll, .endpoint-path, .math')) {
      const wide = box.scrollWidth > box.clientWidth + 1
      const high = box.scrollHeight > box.clientHeight + 1
      const scrolls = (wide || high) && box.clientWidth > 0
      if (scrolls) box.tabIndex = 0
      else box.removeAttribute('tabindex')
    }
  }
  scrollable()
  addEventListener('resize', scrollable)
  document.addEventListener('quire-tab', scrollable)
  document.addEventListener('toggle', scrollable, true)

  const diagrams = [...document.querySelectorAll('.diagram')]
  const renderer = quire.own?.dataset.mermaid
  if (diagrams.length === 0 || !renderer) return
  let count = 0
  const draw = async () => {
    const probe = document.createElement('span')
    document.body.append(probe)
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
    // Mermaid knows hex codes alone, and a mixed colour has none until it is painted.
    const color = (name) => {
      probe.style.color = `var(${name})`
      canvas.fillStyle = getComputedStyle(probe).color
      canvas.fillRect(0, 0, 1, 1)
      const painted = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
      return `#${painted.map((part) => part.toString(16).padStart(2, '0')).join('')}`
    }
    const dark = document.documentElement.classList.contains('dark')
    window.mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      theme: 'base',
      fontFamily: 'inherit',
      themeVariables: {
        darkMode: dark,
        fontSize: '14px',
        background: color('--q-bg'),
        primaryColor: color('--q-bg-inset'),
        primaryTextColor: color('--q-text-strong'),
        primaryBorderColor: color('--q-line-strong'),
        secondaryColor: color('--q-bg-subtle'),
        tertiaryColor: color('--q-bg-subtle'),
        tertiaryBorderColor: color('--q-line'),
        lineColor: color('--q-text-faint'),
        textColor: color('--q-text'),
        mainBkg: color('--q-bg-inset'),
        nodeBorder: color('--q-line-strong'),
        clusterBkg: color('--q-bg-subtle'),
        clusterBorder: color('--q-line'),
        edgeLabelBackground: color('--q-bg'),
        noteBkgColor: color('--q-bg-subtle'),
        noteBorderColor: color('--q-line-strong'),
        noteTextColor: color('--q-text'),
        actorBkg: color('--q-bg-inset'),
        actorBorder: color('--q-line-strong'),
        activationBkgColor: color('--q-bg-subtle'),
      },
    })
    probe.remove()
    for (const figure of diagrams) {
      const source = figure.querySelector('.diagram-source code').textContent
      count += 1
      try {
        const { svg } = await window.mermaid.render(`diagram-${count}`, source)
        let place = figure.querySelector('.diagram-picture')
        if (!place) {
          place = document.createElement('div')
          place.className = 'diagram-picture'
          figure.append(place)
        }
        place.innerHTML = svg
        const picture = place.querySelector('svg')
        if (picture) {
          picture.setAttribute('role', 'img')
          picture.setAttribute('aria-label', 'Diagram')
          picture.removeAttribute('aria-roledescription')
        }
        figure.classList.add('drawn')
      } catch {
        figure.classList.add('failed')
      }
    }
  }
  quire.loadScript(renderer).then(draw, () => {
    for (const figure of diagrams) figure.classList.add('failed')
  })
  document.documentElement.addEventListener('quire-theme', () => window.mermaid && setTimeout(draw, 0))
})()
