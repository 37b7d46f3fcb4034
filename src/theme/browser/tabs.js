/** Tabs and code groups: arrow keys move, and the same choice is made in every group that offers it. */
;(() => {
  const groups = [...document.querySelectorAll('[data-tabs]')]
  const tabsOf = (group) => [...group.querySelectorAll(':scope > .tab-list > [role="tab"]')]
  const panelsOf = (group) => [...group.querySelectorAll(':scope > .tab-panel')]
  const show = (group, index) => {
    tabsOf(group).forEach((tab, position) => {
      tab.setAttribute('aria-selected', String(position === index))
      tab.tabIndex = position === index ? 0 : -1
    })
    panelsOf(group).forEach((panel, position) => {
      panel.classList.toggle('active', position === index)
    })
    const list = group.querySelector(':scope > .code-choice > select')
    if (list) list.selectedIndex = index
    group.dispatchEvent(new CustomEvent('quire-tab', { bubbles: true }))
  }
  const choose = (group, index, focus) => {
    const tab = tabsOf(group)[index]
    if (!tab) return
    const before = group.getBoundingClientRect().top
    show(group, index)
    if (focus) tab.focus()
    if (group.dataset.tabs !== 'sync') return
    const label = tab.dataset.label
    for (const other of groups) {
      if (other === group || other.dataset.tabs !== 'sync') continue
      const twin = tabsOf(other).findIndex((candidate) => candidate.dataset.label === label)
      if (twin >= 0) show(other, twin)
    }
    quire.write('quire-tab', label)
    // What was chosen above may have grown: the tab under the finger stays there.
    scrollBy({ top: group.getBoundingClientRect().top - before, behavior: 'instant' })
  }
  for (const group of groups.filter((candidate) => 'dropdown' in candidate.dataset)) {
    const list = document.createElement('select')
    list.setAttribute('aria-label', quire.say('chooseCode', 'Language'))
    for (const tab of tabsOf(group)) list.add(new Option(tab.dataset.label))
    list.selectedIndex = tabsOf(group).findIndex((tab) => tab.getAttribute('aria-selected') === 'true')
    list.addEventListener('change', () => choose(group, list.selectedIndex, false))
    const row = document.createElement('div')
    row.className = 'code-choice'
    row.append(list)
    group.prepend(row)
  }
  const remembered = quire.read('quire-tab')
  for (const group of groups) {
    const tabs = tabsOf(group)
    tabs.forEach((tab, index) => {
      tab.addEventListener('click', () => choose(group, index, false))
      tab.addEventListener('keydown', (event) => {
        const forward =
          document.documentElement.dir === 'rtl' && !group.classList.contains('code-group')
            ? 'ArrowLeft'
            : 'ArrowRight'
        const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight'
        const target =
          event.key === forward
            ? index + 1
            : event.key === backward
              ? index - 1
              : event.key === 'Home'
                ? 0
                : event.key === 'End'
                  ? tabs.length - 1
                  : null
        if (target === null) return
        event.preventDefault()
        choose(group, (target + tabs.length) % tabs.length, true)
      })
    })
    if (remembered !== null && group.dataset.tabs === 'sync') {
      const index = tabs.findIndex((tab) => tab.dataset.label === remembered)
      if (index > 0) show(group, index)
    }
  }
  const reveal = () => {
    let id = ''
    try {
      id = decodeURIComponent(location.hash.slice(1))
    } catch {}
    const target = id && document.getElementById(id)
    if (!target) return
    let hidden = false
    for (let node = target; node; node = node.parentElement) {
      if (node.localName === 'details' && !node.open) {
        node.open = true
        hidden = true
      }
      if (node.classList.contains('tab-panel') && !node.classList.contains('active')) {
        show(node.parentElement, panelsOf(node.parentElement).indexOf(node))
        hidden = true
      }
      if (node.classList.contains('view') && node.classList.contains('inactive')) {
        showView(node.dataset.view)
        hidden = true
      }
    }
    if (hidden) target.scrollIntoView()
  }
  const showView = (title) => {
    for (const view of document.querySelectorAll('.view'))
      view.classList.toggle('inactive', view.dataset.view !== title)
    for (const button of document.querySelectorAll('.view-button'))
      button.setAttribute('aria-pressed', String(button.dataset.view === title))
  }
  const views = [...document.querySelectorAll('.view-button')]
  if (views.length > 0) {
    const kept = quire.read('quire-view')
    showView(views.some((button) => button.dataset.view === kept) ? kept : views[0].dataset.view)
    for (const button of views) {
      button.addEventListener('click', () => {
        quire.write('quire-view', button.dataset.view)
        showView(button.dataset.view)
      })
    }
  }
  addEventListener('hashchange', reveal)
  reveal()
})()
