import { fileURLToPath } from 'node:url';
import { reactRouter } from '@react-router/dev/vite';
import { defineConfig } from 'vite';

// The Go server the development site talks to; it serves the same site when it is built.
const api = process.env.NIGHTBELL_API ?? 'http://127.0.0.1:8480';

export default defineConfig({
  plugins: [reactRouter()],
  resolve: { alias: { '~': fileURLToPath(new URL('./app', import.meta.url)) } },
  // A data: address cannot be used by <use href>, so the icon sprite always stays a file.
  build: { assetsInlineLimit: 0 },
  server: { proxy: { '/v1': api } },
});
