module github.com/seed-0f95ebc1/featuremap/examples/cluster/parquet

go 1.24.9

require (
	github.com/parquet-go/parquet-go v0.32.0
	github.com/seed-0f95ebc1/featuremap v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.17.9 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.21 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	golang.org/x/exp v0.0.0-20251023183803-a4bb9ffd2546 // indirect
	golang.org/x/sys v0.41.0 // indirect
	google.golang.org/protobuf v1.34.2 // indirect
)

replace github.com/seed-0f95ebc1/featuremap => ../../..
