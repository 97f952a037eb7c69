import type { Config } from '@react-router/dev/config';
import { finishBuild } from './build-steps/finish-build';
import { prerendered } from './build-steps/pages';

export default {
  ssr: false,
  prerender: prerendered,
  buildEnd: ({ reactRouterConfig, buildManifest }) =>
    finishBuild(`${reactRouterConfig.buildDirectory}/client`, buildManifest),
  future: {
    v8_middleware: true,
    v8_splitRouteModules: true,
    v8_viteEnvironmentApi: true,
    v8_passThroughRequests: true,
    v8_trailingSlashAwareDataRequests: true,
  },
} satisfies Config;
