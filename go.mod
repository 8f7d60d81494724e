module github.com/seed-0f95ebc1/featuremap

go 1.24.0

require (
	golang.org/x/exp v0.0.0-20251023183803-a4bb9ffd2546
	golang.org/x/sys v0.41.0
	gonum.org/v1/gonum v0.17.0
)
