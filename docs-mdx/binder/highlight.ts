import type { ElementContent } from 'hast';
import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import bash from 'shiki/langs/bash.mjs';
import go from 'shiki/langs/go.mjs';
import http from 'shiki/langs/http.mjs';
import ini from 'shiki/langs/ini.mjs';
import java from 'shiki/langs/java.mjs';
import javascript from 'shiki/langs/javascript.mjs';
import json from 'shiki/langs/json.mjs';
import php from 'shiki/langs/php.mjs';
import python from 'shiki/langs/python.mjs';
import ruby from 'shiki/langs/ruby.mjs';
import sql from 'shiki/langs/sql.mjs';
import typescript from 'shiki/langs/typescript.mjs';
import yaml from 'shiki/langs/yaml.mjs';

// Named one by one: a bundle with all of Shiki's languages takes ten seconds to build.
const grammars = { bash, go, http, ini, java, javascript, json, php, python, ruby, sql, typescript, yaml };
const names: Record<string, keyof typeof grammars | 'text'> = {
  sh: 'bash',
  js: 'javascript',
  ts: 'typescript',
  py: 'python',
  rb: 'ruby',
  yml: 'yaml',
  env: 'ini',
  text: 'text',
  output: 'text',
};
/** A kind of word, by the variable that Shiki's theme paints it with, and the class that styles give a colour. */
const classes: Record<string, string> = {
  'token-keyword': 'tk',
  'token-string': 'ts',
  'token-string-expression': 'ts',
  'token-function': 'tf',
  'token-constant': 'tn',
  'token-comment': 'tc',
};

let highlighter: Promise<HighlighterCore> | undefined;

/** The keys of Shiki's variables theme stand for Nightbell's own colours. */
const theme = createCssVariablesTheme({ name: 'nightbell' });

/** Whether pages may name this language. */
export function known(language: string): boolean {
  return language in names || language in grammars;
}

/**
 * Code as lines of spans with a class for each kind of word. Shiki runs in the build only; classes
 * instead of its style attributes keep the policy of the page strict. Without a limit of time,
 * because a slow machine would leave the rest of a line in one colour.
 */
export async function highlight(code: string, language: string): Promise<ElementContent[]> {
  const lang = names[language] ?? language;
  if (lang === 'text' || !known(lang)) return [{ type: 'text', value: code }];
  highlighter ??= createHighlighterCore({
    themes: [theme],
    langs: Object.values(grammars),
    engine: createJavaScriptRegexEngine(),
  });
  const lines = (await highlighter).codeToTokensBase(code, {
    lang,
    theme: 'nightbell',
    tokenizeTimeLimit: 0,
  });
  return lines.flatMap((line, n) => {
    const spans = line.map((token): ElementContent => {
      const kind = classes[/--shiki-([\w-]+)/.exec(token.color ?? '')?.[1] ?? ''];
      const text: ElementContent = { type: 'text', value: token.content };
      if (!kind || !token.content.trim()) return text;
      return { type: 'element', tagName: 'span', properties: { className: [kind] }, children: [text] };
    });
    return n === 0 ? spans : [{ type: 'text', value: '\n' } as ElementContent, ...spans];
  });
}
