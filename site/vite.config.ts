import { fileURLToPath } from 'node:url';
import { reactRouter } from '@react-router/dev/vite';
import { defineConfig, type Plugin } from 'vite';
import { scopedName } from './build-steps/scoped-name';

// The Go server the development site talks to; it serves the same site when it is built.
const api = process.env.NIGHTBELL_API ?? 'http://127.0.0.1:8480';

// React and its DOM come along. The names are those of the landing page too: what only the workspace shows
// is styled by its own file, and the dialog is here because asking for a price must not fetch that file.
const onEveryPage = [
  /\/react-dom\/|vite\/preload-helper/,
  /app\/styles\/\w+\.css$/,
  /app\/components\/ui\/(icon|brand|button|avatar|mark|badge|theme-switch|segmented|tool-logo|toaster)\.(tsx|module\.css)$/,
  /app\/components\/ui\/(card|dialog|field|states)\.module\.css$/,
  /app\/lib\/(paths|words|theme|toast|session|sign-in-request|early-click|time\/counter)\.tsx?$/,
];

// Class names are written where they are used, so nothing would be left that asks for the style sheet.
const keepStyles: Plugin = {
  name: 'nightbell:keep-styles',
  enforce: 'post',
  transform: {
    filter: { id: /\.module\.css$/ },
    handler: (code) => ({ code, moduleSideEffects: 'no-treeshake' }),
  },
};

// What most pages of the workspace use, drafts among it; of the kit's styles, what the first group left over.
// And what is on the way to most: incidents as the first pages read them, and the list of the ten on-call pages.
// What a single page of the settings asks for travels with that page.
const inWorkspace = [
  /app\/data\/(?!audit|account-end|api-keys|organization)|\/@tanstack\/(react-query|query-core)\//,
  /app\/lib\/(draft|kept-draft|half-written|edits|settled-press|second-tap|role|kept-focus|leave-guard|delete-as-read|each|address-params|time\/(words|instant|clock|zone|time-of-day))\.ts$/,
  /app\/components\/(edit-conflict|draft-problem|later|layout\/(crumb|page-head))\.tsx$/,
  /app\/features\/(incidents\/model\/incident|oncall\/components\/oncall-nav)\.(tsx?|module\.css)$/,
  /app\/components\/ui\/(data-table|field|filter-field|portion|search-select|submit|time|card|checkbox|tabs|time-field)\.tsx$/,
  /app\/components\/ui\/[\w-]+\.module\.css$/,
];

export default defineConfig({
  plugins: [reactRouter(), keepStyles],
  css: { modules: { localsConvention: 'camelCaseOnly', generateScopedName: scopedName } },
  resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
  // A data: address cannot be used by <use href>, so the icon sprite always stays a file.
  build: {
    assetsInlineLimit: 0,
    // What every page shares travels as one file, and so does what every page of the workspace shares:
    // a dozen tiny ones compress worse, and the landing page carries the list of them.
    rolldownOptions: {
      optimization: { inlineConst: { mode: 'all' } },
      output: {
        codeSplitting: {
          groups: [
            { name: 'kit', test: (id) => onEveryPage.some((part) => part.test(id)) },
            { name: 'workspace', test: (id) => inWorkspace.some((part) => part.test(id)) },
          ],
        },
      },
    },
  },
  // The script of the documentation is built as a worker is: alone, without what pages share.
  worker: { format: 'es' },
  server: { proxy: { '/v1': api } },
});
