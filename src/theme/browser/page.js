/** The frame around the text: colour scheme, drawer, menus, contents that follow, feedback, copying, embeds. */
;(() => {
  const root = document.documentElement
  const body = document.body
  const on = (selector, type, handle) => {
    for (const element of document.querySelectorAll(selector))
      element.addEventListener(type, (event) => handle(event, element))
  }

  on('[data-theme-switch]', 'click', () => {
    quire.write('quire-theme', root.classList.contains('dark') ? 'light' : 'dark')
    root.dispatchEvent(new CustomEvent('quire-theme'))
  })

  const drawer = document.getElementById('navigation')
  if (drawer) {
    const opener = document.querySelector('[data-menu]')
    const narrow = matchMedia('(max-width: 60rem)')
    const rest = [...body.children].filter((element) => !element.contains(drawer))
    const main = document.getElementById('content')
    const setOpen = (open) => {
      drawer.classList.toggle('open', open)
      opener.setAttribute('aria-expanded', String(open))
      body.style.overflow = open ? 'hidden' : ''
      for (const element of [...rest, main]) element.inert = open
      if (open) drawer.querySelector('[data-menu-close]').focus()
      else opener.focus()
    }
    opener.setAttribute('role', 'button')
    opener.setAttribute('aria-expanded', 'false')
    opener.addEventListener('click', (event) => {
      event.preventDefault()
      setOpen(true)
    })
    opener.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return
      event.preventDefault()
      setOpen(true)
    })
    drawer.addEventListener('click', (event) => {
      const close = event.target === drawer || event.target.closest('[data-menu-close]')
      if (!close || !drawer.classList.contains('open')) return
      event.preventDefault()
      setOpen(false)
    })
    drawer.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && drawer.classList.contains('open')) setOpen(false)
    })
    narrow.addEventListener('change', () => {
      if (!narrow.matches && drawer.classList.contains('open')) setOpen(false)
    })
    const scroller = drawer.querySelector('.sidebar-scroll')
    const active = scroller.querySelector('.navigation [aria-current="page"]')
    if (active) {
      const place = active.getBoundingClientRect()
      const box = scroller.getBoundingClientRect()
      if (place.bottom > box.bottom - 40 || place.top < box.top)
        scroller.scrollTop += place.top - box.top - box.height / 3
    }
  }

  const activeTab = document.querySelector('.section-tab[aria-current]')
  if (activeTab) {
    const row = activeTab.parentElement
    if (activeTab.offsetLeft + activeTab.offsetWidth > row.clientWidth)
      row.scrollLeft = activeTab.offsetLeft - row.clientWidth / 2
  }

  const menus = [...document.querySelectorAll('details.menu')]
  document.addEventListener('click', (event) => {
    for (const menu of menus)
      if (menu.open && (!menu.contains(event.target) || event.target.closest('.menu-item'))) menu.open = false
  })
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      for (const menu of menus) {
        if (!menu.open) continue
        menu.open = false
        menu.querySelector('summary').focus()
      }
      for (const tooltip of document.querySelectorAll('.tooltip')) tooltip.classList.add('dismissed')
    }
    const open = menus.find((menu) => menu.open && menu.contains(document.activeElement))
    if (!open || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    event.preventDefault()
    const items = [...open.querySelectorAll('.menu-item')]
    const at = items.indexOf(document.activeElement)
    items[(at + (event.key === 'ArrowDown' ? 1 : items.length - (at < 0 ? 0 : 1))) % items.length].focus()
  })
  on('.tooltip', 'pointerenter', (_event, tooltip) => tooltip.classList.remove('dismissed'))
  on('.tooltip', 'focusin', (_event, tooltip) => tooltip.classList.remove('dismissed'))

  const contents = document.querySelector('[data-contents]')
  if (contents) {
    const links = [...contents.querySelectorAll('a')]
    const targets = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))))
    let current = -1
    let waiting = false
    const follow = () => {
      waiting = false
      const edge = Number.parseFloat(getComputedStyle(root).scrollPaddingTop) + 16 || 120
      let index = -1
      targets.forEach((target, position) => {
        if (target && target.offsetParent !== null && target.getBoundingClientRect().top <= edge)
          index = position
      })
      const end = innerHeight + scrollY >= root.scrollHeight - 4
      if (end && scrollY > 0) {
        for (let position = targets.length - 1; position > index; position -= 1) {
          if (targets[position] && targets[position].offsetParent !== null) {
            const wanted = decodeURIComponent(location.hash.slice(1)) === targets[position].id
            if (wanted) index = position
          }
        }
      }
      if (index === -1) index = 0
      if (index === current) return
      if (links[current]) links[current].removeAttribute('aria-current')
      current = index
      const link = links[current]
      link.setAttribute('aria-current', 'location')
      const place = link.offsetTop
      if (place < contents.scrollTop + 40 || place > contents.scrollTop + contents.clientHeight - 80)
        contents.scrollTop = place - contents.clientHeight / 2
    }
    const later = () => {
      if (waiting) return
      waiting = true
      requestAnimationFrame(follow)
    }
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    addEventListener('hashchange', later)
    follow()
  }

  const markdown = async () => {
    const address = body.dataset.markdown
    if (address && location.protocol !== 'file:') {
      try {
        const answer = await fetch(address)
        if (answer.ok) return await answer.text()
      } catch {}
    }
    const title = document.querySelector('.page-title')
    return `# ${title ? title.textContent : document.title}\n\n${document.querySelector('.prose').innerText}\n`
  }
  on('[data-copy-page]', 'click', async (event) => {
    event.preventDefault()
    await quire.copyText(await markdown())
    const label = document.querySelector('[data-copy-label]')
    if (!label) return
    const before = label.textContent
    label.textContent = quire.say('copied', 'Copied')
    setTimeout(() => {
      label.textContent = before
    }, 1600)
  })
  on('[data-assistant]', 'click', (_event, link) => {
    const canonical = document.querySelector('link[rel="canonical"]')
    const place = canonical ? canonical.href : location.href.split('#')[0]
    link.href =
      link.dataset.assistant + encodeURIComponent(`Read ${place} so that I can ask questions about it.`)
  })
  on('[data-copy]', 'click', async (_event, button) => {
    await quire.copyText(button.dataset.copy)
    const before = button.innerHTML
    button.innerHTML = quire.icons.check || before
    setTimeout(() => {
      button.innerHTML = before
    }, 1600)
  })
  on('[data-copy-prompt]', 'click', async (_event, button) => {
    const text = button.closest('.prompt').querySelector('[data-prompt]')
    const label = button.querySelector('span')
    await quire.copyText(text.innerText.trim() || text.textContent.trim())
    const before = label.textContent
    label.textContent = quire.say('copied', 'Copied')
    setTimeout(() => {
      label.textContent = before
    }, 1600)
  })

  const feedback = document.querySelector('[data-feedback]')
  const server = quire.settings.feedback?.endpoint
  if (feedback && server) {
    feedback.hidden = false
    on('[data-feedback-value]', 'click', (_event, button) => {
      for (const other of feedback.querySelectorAll('[data-feedback-value]'))
        other.setAttribute('aria-pressed', String(other === button))
      const thanks = feedback.querySelector('[data-thanks]')
      thanks.textContent = thanks.dataset.thanks
      fetch(server, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ path: body.dataset.page, value: button.dataset.feedbackValue }),
        keepalive: true,
      }).catch(() => {})
    })
  }

  const banner = document.querySelector('[data-banner]')
  if (banner) {
    on('.banner-close', 'click', () => {
      quire.write('quire-banner', banner.dataset.banner)
      banner.hidden = true
    })
  }

  on('.embed-link', 'click', (event, link) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const box = link.parentElement
    const kind = box.dataset.embed
    const frame = document.createElement(kind === 'frame' ? 'iframe' : kind)
    frame.src = link.href
    if (kind === 'frame') {
      frame.title = link.querySelector('.embed-title').textContent
      frame.allow = 'autoplay; encrypted-media; fullscreen; picture-in-picture'
      frame.allowFullscreen = true
      frame.referrerPolicy = 'strict-origin-when-cross-origin'
    } else {
      frame.controls = true
      frame.autoplay = true
    }
    link.replaceWith(frame)
    frame.focus()
  })
  on('[data-load="image"]', 'click', (event, link) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const image = new Image()
    image.src = link.href
    image.alt = link.querySelector('[data-alt]')?.textContent || ''
    link.replaceWith(image)
  })

  const zoomable = document.querySelectorAll('.prose img:not([nozoom]):not(.icon-image):not(.card-image)')
  for (const image of zoomable) {
    if (image.closest('a, button, .card, .tile')) continue
    const ready = () => {
      if (image.naturalWidth <= image.clientWidth * 1.15 && image.naturalWidth < 800) return
      image.classList.add('zoomable')
      image.tabIndex = 0
      image.setAttribute('role', 'button')
      image.setAttribute('aria-label', `Enlarge image${image.alt ? `: ${image.alt}` : ''}`)
      const open = () => {
        const dialog = document.createElement('dialog')
        dialog.className = 'lightbox'
        dialog.setAttribute('aria-label', image.alt || 'Image')
        const large = new Image()
        large.src = image.currentSrc || image.src
        large.alt = image.alt
        dialog.append(large)
        dialog.addEventListener('click', () => dialog.close())
        dialog.addEventListener('close', () => dialog.remove())
        body.append(dialog)
        dialog.showModal()
      }
      image.addEventListener('click', open)
      image.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        open()
      })
    }
    if (image.complete) ready()
    else image.addEventListener('load', ready, { once: true })
  }

  const updates = [...document.querySelectorAll('.update[data-tags]')]
  const tags = [...new Set(updates.flatMap((update) => update.dataset.tags.split('|')))]
  if (tags.length > 1) {
    const bar = document.createElement('div')
    bar.className = 'tag-filter'
    bar.setAttribute('role', 'group')
    bar.setAttribute('aria-label', 'Filter')
    const chosen = new Set()
    for (const tag of tags) {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = tag
      button.setAttribute('aria-pressed', 'false')
      button.addEventListener('click', () => {
        if (!chosen.delete(tag)) chosen.add(tag)
        button.setAttribute('aria-pressed', String(chosen.has(tag)))
        for (const update of document.querySelectorAll('.update')) {
          const own = (update.dataset.tags || '').split('|')
          update.hidden = chosen.size > 0 && !own.some((name) => chosen.has(name))
        }
      })
      bar.append(button)
    }
    const side = document.querySelector('.contents .contents-box') || document.querySelector('.page-header')
    side.append(bar)
  }

  // The next page is fetched while the pointer rests on its link.
  if (location.protocol !== 'file:' && !navigator.connection?.saveData) {
    const seen = new Set()
    const fetchAhead = (event) => {
      const link = event.target instanceof Element && event.target.closest('a[href]')
      if (!link || link.origin !== location.origin || link.pathname === location.pathname || link.target)
        return
      if (!/\.html$|\/$|\/[^./]+$/.test(link.pathname) || seen.has(link.pathname)) return
      seen.add(link.pathname)
      const hint = document.createElement('link')
      hint.rel = 'prefetch'
      hint.href = link.href
      document.head.append(hint)
    }
    document.addEventListener('pointerover', fetchAhead, { passive: true })
    document.addEventListener('focusin', fetchAhead)
  }
})()
