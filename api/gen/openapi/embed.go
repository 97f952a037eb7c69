// Package openapi carries the OpenAPI description that api/openapi makes of the proto files.
package openapi

import _ "embed"

// YAML is the OpenAPI 3.1 document served at /v1/openapi.yaml.
//
//go:embed openapi.yaml
var YAML []byte
