/** The search dialog: opens with ⌘K, Ctrl K and /, answers while typing, and is worked wholly by keyboard. */
;(() => {
  const openers = [...document.querySelectorAll('[data-search-open]')]
  const engineAddress = quire.own?.dataset.search
  if (openers.length === 0 || !engineAddress) return
  const apple = /Mac|iP(hone|ad|od)/.test(navigator.platform)
  if (!apple) for (const key of document.querySelectorAll('.search-key')) key.textContent = 'Ctrl K'
  const filter = {}
  if (document.body.dataset.version) filter.version = document.body.dataset.version
  if (document.body.dataset.language) filter.language = document.body.dataset.language

  let dialog
  let input
  let list
  let selected = -1
  let asked = 0
  let engine
  let openedAt = 0

  // Where a server answers searches it is asked first; the index in the bundle stands in for it.
  const server =
    quire.settings.search && quire.settings.search.type === 'server' ? quire.settings.search : null
  const askServer = async (request) => {
    const answer = await fetch(server.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(server.key ? { authorization: `Bearer ${server.key}` } : {}),
      },
      body: JSON.stringify({ query: request.query, pageSize: request.limit, filter: request.filter }),
    })
    if (!answer.ok) throw new Error(`The search answered ${answer.status}.`)
    return (await answer.json()).map((hit) => ({
      path: hit.path.replace(/^\//, ''),
      content: hit.content,
      title: hit.metadata?.title || hit.path,
      heading: hit.metadata?.heading || '',
      anchor: hit.metadata?.anchor,
    }))
  }
  const load = () => {
    if (!engine) openedAt = Date.now()
    engine ||= quire
      .loadScript(engineAddress)
      .then(() => window.quireSearch.open({ folder: `${quire.root}_quire/search/` }))
      .then(async (search) => {
        await search.warm(filter)
        return search
      })
      .catch((error) => {
        engine = undefined
        throw error
      })
    return engine
  }

  const make = (name, className, text) => {
    const element = document.createElement(name)
    if (className) element.className = className
    if (text) element.textContent = text
    return element
  }
  const keys = (key, text) => {
    const span = make('span')
    span.append(make('kbd', '', key), text)
    return span
  }

  const build = () => {
    dialog = make('dialog', 'search-dialog')
    dialog.setAttribute('aria-label', quire.say('search', 'Search'))
    const head = make('div', 'search-head')
    head.innerHTML = quire.icons.search
    input = make('input', 'search-input')
    input.type = 'search'
    input.placeholder = openers[0].textContent.replace(/(⌘|Ctrl )K$/, '').trim()
    input.autocomplete = 'off'
    input.spellcheck = false
    for (const [name, value] of [
      ['role', 'combobox'],
      ['aria-expanded', 'true'],
      ['aria-controls', 'search-results'],
      ['aria-autocomplete', 'list'],
      ['aria-label', quire.say('search', 'Search')],
      ['enterkeyhint', 'go'],
    ])
      input.setAttribute(name, value)
    const close = make('button', 'search-close', 'Esc')
    close.type = 'button'
    close.setAttribute('aria-label', `Esc ${quire.say('close', 'Close')}`)
    close.addEventListener('click', () => dialog.close())
    head.append(input, close)
    list = make('div', 'search-results')
    list.id = 'search-results'
    list.setAttribute('role', 'listbox')
    list.setAttribute('aria-label', quire.say('search', 'Search'))
    const foot = make('div', 'search-foot')
    foot.append(
      keys('↑↓', quire.say('toMove', 'to move')),
      keys('↵', quire.say('toSelect', 'to open')),
      keys('esc', quire.say('toClose', 'to close')),
    )
    dialog.append(head, list, foot)
    document.body.append(dialog)
    input.addEventListener('input', ask)
    input.addEventListener('keydown', onKey)
    list.addEventListener('pointermove', (event) => {
      const item = event.target.closest('.search-item')
      if (item) select(items().indexOf(item), false)
    })
    list.addEventListener('click', (event) => {
      const item = event.target.closest('.search-item')
      if (!item) return
      if (item.dataset.again !== undefined) {
        event.preventDefault()
        input.value = item.dataset.again
        input.focus()
        ask()
        return
      }
      remember()
      if (!event.metaKey && !event.ctrlKey) dialog.close()
    })
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close()
    })
  }

  const items = () => [...list.querySelectorAll('.search-item')]
  const select = (index, scroll) => {
    const all = items()
    for (const item of all) item.setAttribute('aria-selected', 'false')
    selected = all.length === 0 ? -1 : (index + all.length) % all.length
    const item = all[selected]
    if (!item) {
      input.removeAttribute('aria-activedescendant')
      return
    }
    item.setAttribute('aria-selected', 'true')
    input.setAttribute('aria-activedescendant', item.id)
    if (scroll) item.scrollIntoView({ block: 'nearest' })
  }
  const onKey = (event) => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      select(selected + (event.key === 'ArrowDown' ? 1 : -1), true)
    } else if (event.key === 'Escape') {
      event.preventDefault() // A search field would only empty itself.
      dialog.close()
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const item = items()[selected]
      if (item) item.click()
    }
  }

  const recent = () => {
    try {
      const kept = JSON.parse(quire.read('quire-searches') || '[]')
      return Array.isArray(kept) ? kept.filter((entry) => typeof entry === 'string').slice(0, 5) : []
    } catch {
      return []
    }
  }
  const remember = () => {
    const query = input.value.trim()
    if (query.length < 2) return
    quire.write(
      'quire-searches',
      JSON.stringify([query, ...recent().filter((entry) => entry !== query)].slice(0, 5)),
    )
  }
  const showRecent = () => {
    list.replaceChildren()
    const kept = recent()
    if (kept.length > 0) list.append(make('div', 'search-heading', quire.say('recent', 'Recent searches')))
    kept.forEach((query, index) => {
      const item = make('a', 'search-item')
      item.href = '#'
      item.dataset.again = query
      item.innerHTML = quire.icons.clock
      item.append(make('span', 'search-title', query))
      finish(item, index)
    })
    select(-1, false)
    selected = -1
    for (const item of items()) item.setAttribute('aria-selected', 'false')
  }
  const finish = (item, index) => {
    item.id = `search-result-${index}`
    item.setAttribute('role', 'option')
    item.setAttribute('aria-selected', 'false')
    item.tabIndex = -1
    list.append(item)
  }

  const marked = (element, text, query) => {
    for (const piece of window.quireSearch.mark(text, query))
      element.append(piece.matched ? make('mark', '', piece.text) : piece.text)
    return element
  }
  const addressOf = (hit) => {
    const path = hit.path.split('/').map(encodeURIComponent).join('/')
    return `${quire.root}${path}.html${hit.anchor ? `#${encodeURIComponent(hit.anchor)}` : ''}`
  }
  const ask = async () => {
    const query = input.value.trim()
    asked += 1
    const turn = asked
    if (query === '') {
      showRecent()
      return
    }
    let hits
    try {
      const search = await load()
      const request = { query, limit: 12, asYouType: true, filter, currentPath: document.body.dataset.page }
      hits = await (server ? askServer(request).catch(() => search.search(request)) : search.search(request))
    } catch (error) {
      if (turn === asked) list.replaceChildren(make('div', 'search-empty', error.message))
      return
    }
    if (turn !== asked) return
    list.replaceChildren()
    if (hits.length === 0) {
      const empty = make('div', 'search-empty', `${quire.say('noResults', 'No results for')} “${query}”`)
      empty.setAttribute('role', 'status')
      list.append(empty)
      selected = -1
      return
    }
    // What was found on one page stands together, where its best hit is.
    const paths = [...new Set(hits.map((hit) => hit.path))]
    const grouped = paths.flatMap((path) => hits.filter((hit) => hit.path === path))
    grouped.forEach((hit, index) => {
      const within = index > 0 && grouped[index - 1].path === hit.path
      const item = make('a', within ? 'search-item search-within' : 'search-item')
      item.href = addressOf(hit)
      item.innerHTML = hit.anchor ? quire.icons.hash : quire.icons.page
      const words = make('div', 'search-words')
      const headings = hit.heading.split(' › ')
      const last = hit.anchor ? headings[headings.length - 1] : ''
      words.append(marked(make('div', 'search-title'), last && last !== hit.title ? last : hit.title, query))
      const place = [...new Set([hit.title, ...headings.slice(1, -1)])].join(' › ')
      if (last && last !== hit.title && !within) words.append(make('div', 'search-place-words', place))
      const snippet = window.quireSearch.snippet(hit.content, query, 180).replace(/^…/, '…\u2060') // Not alone on its line.
      if (snippet) words.append(marked(make('div', 'search-snippet'), snippet, query))
      item.append(words)
      finish(item, index)
    })
    select(0, false)
    list.scrollTop = 0
  }

  const open = () => {
    if (!dialog) build()
    if (dialog.open) return
    // A page that stayed open may have outlived its release, and files of two releases do not fit together.
    if (Date.now() - openedAt > 300000) engine = undefined
    dialog.showModal()
    input.select()
    input.focus()
    if (input.value.trim() === '') showRecent()
    load().catch(() => {})
  }
  for (const opener of openers) {
    opener.addEventListener('click', open)
    opener.addEventListener('pointerenter', () => load().catch(() => {}), { once: true })
  }
  document.addEventListener('keydown', (event) => {
    const typing =
      event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')
    const chord =
      (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k'
    const slash = event.key === '/' && !typing && !event.metaKey && !event.ctrlKey && !event.altKey
    if (!chord && !slash) return
    event.preventDefault()
    if (chord && dialog?.open) dialog.close()
    else open()
  })
})()
