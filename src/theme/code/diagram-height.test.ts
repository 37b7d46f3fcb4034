import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diagramHeight } from './diagram-height.ts'

test('a chart that runs down is as high as its longest way, one that runs across as its widest place', () => {
  const edges = '  A[Start] --> B{Choose}\n  B -->|yes| C\n  B -- no --> D\n  C --> E'
  assert.equal(diagramHeight(`flowchart TD\n${edges}`), 400)
  assert.equal(diagramHeight(`graph LR\n${edges}`), 140)
})

test('a sequence grows with its messages', () => {
  const few = diagramHeight('sequenceDiagram\n  A->>B: hello')
  assert.ok(diagramHeight('sequenceDiagram\n  A->>B: hello\n  B-->>A: hello\n  Note over A: fine') > few)
})

test('nothing that is written makes the guess fail', () => {
  for (const source of ['', '%% only this', 'flowchart', `graph LR\n${'-->'.repeat(500)}`, 'pie\n"a": 1'])
    assert.ok(diagramHeight(source) > 0)
})
