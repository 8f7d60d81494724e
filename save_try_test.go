package featuremap

import (
	"bytes"
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestTry(t *testing.T) {
	must := func(m FeatureMap, err error) FeatureMap {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	s := NewSampler(1)
	x := mat.NewDense(50, 4, nil)
	for i := range 50 {
		for j := range 4 {
			x.Set(i, j, 1+0.3*s.Normal())
		}
	}
	planned := func(k Kernel, out int, o *PlanOptions) FeatureMap {
		t.Helper()
		p, err := NewPlan(k, 4, out, o)
		if err != nil {
			t.Fatal(err)
		}
		return must(p.Draw(s))
	}
	sk := NewSkeleton(16)
	sk.Image(4, 4, 1, Circle{}).Conv(ReLUDual{}, 2, 1).Dense(Exp{Rate: 1})
	maps := []FeatureMap{
		must(NewFourier(Gaussian{1}, 4, 8, s, nil)),
		must(NewFourier(Matern{Nu: 1.5, LengthScale: 1}, 4, 7, s, &FourierOptions{Design: Orthogonal, RandomPhase: true})),
		must(NewMaclaurin(ExpDot{1}, 4, 17, s, nil)),
		must(NewMaclaurin(ExpDot{1}, 4, 17, s, &MaclaurinOptions{Law: TruncatedLaw{Degree: 4}, ExactLow: true})),
		must(NewNeurons(ArcCosine{1}, 4, 17, s, &NeuronsOptions{Orthogonal})),
		must(NewCompositional(sk, 30, s, nil)),
		must(New(Sum(Gaussian{1}, Linear{}, Constant{2}), 4, 64, s)),
		planned(Gaussian{5}, 64, &PlanOptions{Points: x}),
		planned(ExpDot{3}, 64, &PlanOptions{Points: x}),
		planned(Product(Gaussian{5}, Polynomial{Degree: 2, Scale: 1, Offset: 1}), 64, &PlanOptions{Points: x}),
		planned(Sum(Gaussian{1}, Laplacian{3}, ExpDot{1}, Polynomial{Degree: 2, Scale: 1, Offset: 1}), 100, &PlanOptions{Points: x}),
		must(NewFourierFrom(Gaussian{1}, x, nil)),
		must(NewDataDependent(must(NewFourier(Gaussian{1}, 4, 8, s, nil)), x, &DataDependentOptions{Alpha: 1, Neighbors: 3})),
		planned(FromMap(must(NewFourier(Gaussian{1}, 4, 8, s, nil))), 8, nil),
	}
	for _, m := range maps {
		var b bytes.Buffer
		if err := Encode(&b, m); err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		fmt.Println(b.Len())
		of, err := Decode(&b, nil)
		if err != nil {
			t.Errorf("%v: %v", m, err)
		}
		if fmt.Sprint(of) != fmt.Sprint(m) {
			t.Errorf("%v\n%v", of, m)
		}
	}
	b, _, _ := encoded(maps[10])
	fmt.Printf("%s\n", b)
}
