import type { Component } from '../theme-api.ts'
import { Accordion, AccordionGroup, Expandable } from './accordions.ts'
import { Callout, Check, Danger, Info, Note, Tip, Warning } from './callouts.ts'
import { Card, CardGroup, Column, Columns, GitHubRepo, Tile } from './cards.ts'
import { ParamField, ResponseField } from './fields.ts'
import { Badge, Icon, Tooltip, Visibility } from './inline.ts'
import { Frame, Latex, Mermaid, Panel, RequestExample, ResponseExample } from './media.ts'
import { Banner, Color, ColorItem, ColorRow, Prompt, Tree, TreeFile, TreeFolder, Update } from './pieces.ts'
import { Step, Steps } from './steps.ts'
import { CodeBlock, CodeGroup, Tab, Tabs, View } from './tabs.ts'

/** Every component of the docs format, by the name that authors write. */
export const components: Readonly<Record<string, Component>> = {
  Accordion,
  AccordionGroup,
  Badge,
  Banner,
  Callout,
  Card,
  CardGroup,
  Check,
  CodeBlock,
  CodeGroup,
  Color,
  'Color.Item': ColorItem,
  'Color.Row': ColorRow,
  Column,
  Columns,
  Danger,
  Expandable,
  Frame,
  'GitHub.Repo': GitHubRepo,
  Icon,
  Info,
  Latex,
  Mermaid,
  Note,
  Panel,
  Param: ParamField,
  ParamField,
  Prompt,
  RequestExample,
  ResponseExample,
  ResponseField,
  SnippetGroup: CodeGroup,
  Step,
  Steps,
  Tab,
  Tabs,
  Tile,
  Tip,
  Tooltip,
  Tree,
  'Tree.File': TreeFile,
  'Tree.Folder': TreeFolder,
  Update,
  View,
  Visibility,
  Warning,
}
