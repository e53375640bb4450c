package gen

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// digest tells kernels apart by all that they hold. Types are told apart by the declarations that they give.
func (k *Kernel) digest() string {
	c := canon(make([]byte, 0, 1024))
	c.kernel(k)
	sum := sha256.Sum256(c)
	return hex.EncodeToString(sum[:])
}

// canon is what is hashed of parts of a Program: their fields in the order in which they are declared, numbers and lists with their
// lengths, so that no two parts give the same bytes. A large function asks for the digest of each loop several times: JSON, with a
// map for each instruction, took an eighth of the engine's time.
type canon []byte

func (c *canon) num(n int) { *c = binary.AppendVarint(*c, int64(n)) }

func (c *canon) str(s string) {
	c.num(len(s))
	*c = append(*c, s...)
}

func (c *canon) flag(b bool) {
	n := byte(0)
	if b {
		n = 1
	}
	*c = append(*c, n)
}

func (c *canon) index(i *int) {
	if c.flag(i != nil); i != nil {
		c.num(*i)
	}
}

func (c *canon) nums(all []int) {
	c.num(len(all))
	for _, n := range all {
		c.num(n)
	}
}

func (c *canon) strs(all []string) {
	c.num(len(all))
	for _, s := range all {
		c.str(s)
	}
}

func (c *canon) pairs(all [][2]int) {
	c.num(len(all))
	for _, pair := range all {
		c.nums(pair[:])
	}
}

func (c *canon) kernel(k *Kernel) {
	for h := range k.Texts {
		c.flag(k.Given(Hook(h)))
		c.strs(k.Texts[h])
	}
	c.str(k.Label)
	c.str(string(k.Lang))
	c.nums(k.Inputs)
	c.nums(k.Outputs)
	c.flag(k.Perform)
	c.index(k.Params)
	c.strs(k.Declares)
	c.str(string(k.GIL))
	c.flag(k.ShapeOnly)
	c.build(&k.Build)
	c.str(k.Version)
	if c.flag(k.Structure != nil); k.Structure != nil {
		c.structure(k.Structure)
	}
	if c.flag(k.View != nil); k.View != nil {
		c.access(k.View)
	}
}

func (c *canon) build(b *Build) {
	for _, list := range [][]string{b.Headers, b.HeaderDirs, b.Libraries, b.LibDirs, b.CompileArgs, b.NoCompileArgs} {
		c.strs(list)
	}
	c.str(b.Compiler)
}

func (c *canon) structure(s *Structure) {
	c.instructions(s.Body)
	c.num(len(s.Folds))
	for i := range s.Folds {
		c.folding(&s.Folds[i])
	}
	c.nums(s.Axes)
	c.flag(s.KeepDims)
	c.num(len(s.Outputs))
	for i := range s.Outputs {
		out := &s.Outputs[i]
		c.num(out.Value)
		c.index(out.Over)
		c.index(out.Fold)
		c.flag(out.Scan)
		c.flag(out.Ended)
	}
	c.instructions(s.Ending)
	c.pairs(s.Exact)
	c.nums(s.Scalars)
	c.nums(s.Spread)
	c.flag(s.Tabled)
}

func (c *canon) folding(f *Folding) {
	c.str(f.Op)
	c.nums(f.Values)
	c.strs(f.DTypes)
	c.instructions(f.Body)
	c.nums(f.Results)
	c.flag(f.Identity != nil)
	c.strs(f.Identity)
}

func (c *canon) instructions(body []Instruction) {
	c.num(len(body))
	for i := range body {
		in := &body[i]
		c.str(in.Op)
		c.nums(in.Args)
		c.str(in.DType)
		c.str(in.Value)
		c.str(in.Label)
		c.strs(in.DTypes)
		c.str(in.Code)
		c.num(in.Member)
	}
}

func (c *canon) access(a *Access) {
	c.flag(a.Told)
	c.nums(a.Axes)
	c.nums(a.New)
	c.num(len(a.Cuts))
	for i := range a.Cuts {
		cut := &a.Cuts[i]
		c.num(cut.Axis)
		for _, number := range []*int{cut.At, cut.Along, cut.Start, cut.Stop, cut.Step} {
			c.index(number)
		}
	}
}
