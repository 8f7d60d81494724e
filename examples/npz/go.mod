module github.com/seed-0f95ebc1/featuremap/examples/npz

go 1.24.0

require (
	github.com/sbinet/npyio v0.9.0
	github.com/seed-0f95ebc1/featuremap v0.0.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/nlpodyssey/gopickle v0.3.0 // indirect
	golang.org/x/exp v0.0.0-20251023183803-a4bb9ffd2546 // indirect
	golang.org/x/sys v0.41.0 // indirect
	golang.org/x/text v0.23.0 // indirect
)

replace github.com/seed-0f95ebc1/featuremap => ../..
