package main

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// The parts of an OpenAPI 3.1 document that Nightbell's has, in the order in which they are written.
type (
	document struct {
		OpenAPI    string               `yaml:"openapi"`
		Info       yaml.Node            `yaml:"info"`
		Servers    yaml.Node            `yaml:"servers"`
		Security   []requirement        `yaml:"security,omitempty"`
		Tags       []tag                `yaml:"tags,omitempty"`
		Paths      ordered[*pathItem]   `yaml:"paths"`
		Webhooks   ordered[*pathItem]   `yaml:"webhooks,omitempty"`
		Components components           `yaml:"components"`
		Extensions map[string]yaml.Node `yaml:",inline"`
	}
	components struct {
		SecuritySchemes yaml.Node           `yaml:"securitySchemes,omitempty"`
		Parameters      ordered[*parameter] `yaml:"parameters,omitempty"`
		Headers         ordered[*header]    `yaml:"headers,omitempty"`
		Responses       ordered[*response]  `yaml:"responses,omitempty"`
		Schemas         ordered[*schema]    `yaml:"schemas,omitempty"`
	}
	tag struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description,omitempty"`
	}
	// requirement is a scheme with the role or scopes that it needs.
	requirement map[string][]string

	// pathItem is the operations of a path by their verbs, in lower case.
	pathItem  struct{ Operations ordered[*operation] }
	operation struct {
		Tags        []string           `yaml:"tags,omitempty"`
		Summary     string             `yaml:"summary,omitempty"`
		Description string             `yaml:"description,omitempty"`
		ID          string             `yaml:"operationId"`
		Deprecated  bool               `yaml:"deprecated,omitempty"`
		Security    *[]requirement     `yaml:"security,omitempty"`
		Parameters  []*parameter       `yaml:"parameters,omitempty"`
		RequestBody *requestBody       `yaml:"requestBody,omitempty"`
		Responses   ordered[*response] `yaml:"responses"`
		// Refusals are the statuses of errors of what is written by hand.
		Refusals []int `yaml:"x-refusals,omitempty,flow"`
	}
	parameter struct {
		Ref         string  `yaml:"$ref,omitempty"`
		Name        string  `yaml:"name,omitempty"`
		In          string  `yaml:"in,omitempty"`
		Required    bool    `yaml:"required,omitempty"`
		Description string  `yaml:"description,omitempty"`
		Schema      *schema `yaml:"schema,omitempty"`
	}
	header struct {
		Ref         string  `yaml:"$ref,omitempty"`
		Required    bool    `yaml:"required,omitempty"`
		Description string  `yaml:"description,omitempty"`
		Schema      *schema `yaml:"schema,omitempty"`
	}
	requestBody struct {
		Description string         `yaml:"description,omitempty"`
		Required    bool           `yaml:"required,omitempty"`
		Content     ordered[media] `yaml:"content"`
	}
	response struct {
		Ref         string           `yaml:"$ref,omitempty"`
		Description string           `yaml:"description,omitempty"`
		Headers     ordered[*header] `yaml:"headers,omitempty"`
		Content     ordered[media]   `yaml:"content,omitempty"`
	}
	media struct {
		Schema  *schema    `yaml:"schema,omitempty"`
		Example *yaml.Node `yaml:"example,omitempty"`
	}
	schema struct {
		Ref         string `yaml:"$ref,omitempty"`
		Description string `yaml:"description,omitempty"`
		// Type is a string, or a list with "null" in it.
		Type   any    `yaml:"type,omitempty"`
		Format string `yaml:"format,omitempty"`
		Enum   []any  `yaml:"enum,omitempty,flow"`
		// Words are those that an answer has today; clients take others too.
		Words                []string         `yaml:"x-extensible-enum,omitempty,flow"`
		Const                any              `yaml:"const,omitempty"`
		Default              any              `yaml:"default,omitempty"`
		Minimum              *int64           `yaml:"minimum,omitempty"`
		Maximum              *int64           `yaml:"maximum,omitempty"`
		MinLength            uint64           `yaml:"minLength,omitempty"`
		MaxLength            uint64           `yaml:"maxLength,omitempty"`
		Pattern              string           `yaml:"pattern,omitempty"`
		MinItems             uint64           `yaml:"minItems,omitempty"`
		MaxItems             uint64           `yaml:"maxItems,omitempty"`
		Items                *schema          `yaml:"items,omitempty"`
		AnyOf                []*schema        `yaml:"anyOf,omitempty"`
		Required             []string         `yaml:"required,omitempty,flow"`
		Properties           ordered[*schema] `yaml:"properties,omitempty"`
		AdditionalProperties any              `yaml:"additionalProperties,omitempty"`
		MaxProperties        uint64           `yaml:"maxProperties,omitempty"`
		ReadOnly             bool             `yaml:"readOnly,omitempty"`
		WriteOnly            bool             `yaml:"writeOnly,omitempty"`
		Examples             []any            `yaml:"examples,omitempty,flow"`
	}
)

func (p *pathItem) UnmarshalYAML(node *yaml.Node) error { return p.Operations.UnmarshalYAML(node) }
func (p *pathItem) MarshalYAML() (any, error)           { return p.Operations.MarshalYAML() }

// ordered is a mapping that is written in the order in which its entries were added.
type ordered[T any] struct {
	names  []string
	values map[string]T
}

func (o *ordered[T]) set(name string, value T) {
	if o.values == nil {
		o.values = map[string]T{}
	}
	if _, known := o.values[name]; !known {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

func (o *ordered[T]) get(name string) T { return o.values[name] }

func (o *ordered[T]) has(name string) bool {
	_, known := o.values[name]
	return known
}

func (o *ordered[T]) remove(name string) {
	delete(o.values, name)
	o.names = slices.DeleteFunc(o.names, func(known string) bool { return known == name })
}

// IsZero leaves an empty mapping out.
func (o ordered[T]) IsZero() bool { return len(o.names) == 0 }

func (o ordered[T]) MarshalYAML() (any, error) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range o.names {
		var key, value yaml.Node
		key.SetString(name)
		if isNumber(name) {
			key.Style = yaml.DoubleQuotedStyle
		}
		if err := value.Encode(o.values[name]); err != nil {
			return nil, err
		}
		node.Content = append(node.Content, &key, &value)
	}
	return node, nil
}

func (o *ordered[T]) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: want a mapping", node.Line)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		var value T
		if err := node.Content[i+1].Decode(&value); err != nil {
			return err
		}
		o.set(node.Content[i].Value, value)
	}
	return nil
}

// isNumber tells a status, which YAML would read as a number.
func isNumber(name string) bool { return name != "" && name[0] >= '0' && name[0] <= '9' }
