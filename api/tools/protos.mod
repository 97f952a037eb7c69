module github.com/nightbell/nightbell/api/tools/protos

go 1.26

// Only its validate.proto is read; it is not compiled into anything.
require github.com/bufbuild/protovalidate v1.2.2
