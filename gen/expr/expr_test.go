package expr

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// show writes an expression in one line: "x y | + 0 1 @3 | 2".
func show(e *Expression) string {
	var body []string
	for _, made := range e.Body {
		text := made.Op
		if made.Op == "constant" {
			text = made.Kind + ":" + made.Value
		}
		for _, arg := range made.Args {
			text += fmt.Sprint(" ", arg)
		}
		if made.Line != 1 {
			text += fmt.Sprintf(" @%d:%d", made.Line, made.Column)
		} else {
			text += fmt.Sprintf(" @%d", made.Column)
		}
		body = append(body, text)
	}
	return fmt.Sprintf("%s | %s | %s", strings.Join(e.Args, " "), strings.Join(body, ", "), strings.Trim(fmt.Sprint(e.Results), "[]"))
}

func TestWhatATextBecomes(t *testing.T) {
	for text, want := range map[string]string{
		"x":                               "x |  | 0",
		"x*y + sin(x)":                    "x y | * 0 1 @2, sin 0 @7, + 2 3 @5 | 4",
		"y + x":                           "y x | + 0 1 @3 | 2",
		"x + y*z**2":                      "x y z | int:2 @10, ** 2 3 @8, * 1 4 @6, + 0 5 @3 | 6",
		"-x**-y":                          "x y | - 1 @5, ** 0 2 @3, - 3 @1 | 4",
		"2**3**x":                         "x | int:2 @1, int:3 @4, ** 2 0 @5, ** 1 3 @2 | 4",
		"x - y - z":                       "x y z | - 0 1 @3, - 3 2 @7 | 4",
		"x - (y - z)":                     "x y z | - 1 2 @8, - 0 3 @3 | 4",
		"~x & y | z ^ x":                  "x y z | ~ 0 @1, & 3 1 @4, ^ 2 0 @12, | 4 5 @8 | 6",
		"x << y + 1":                      "x y | int:1 @10, + 1 2 @8, << 0 3 @3 | 4",
		"x // y % z / x":                  "x y z | // 0 1 @3, % 3 2 @8, / 4 0 @12 | 5",
		"a < b":                           "a b | < 0 1 @3 | 2",
		"a < b+1 < c":                     "a b c | int:1 @7, + 1 3 @6, < 0 4 @3, < 4 2 @9, and 5 6 @9 | 7",
		"a == b != c":                     "a b c | == 0 1 @3, != 1 2 @8, and 3 4 @8 | 5",
		"(a < b) < c":                     "a b c | < 0 1 @4, < 3 2 @9 | 4",
		"a < (b < c)":                     "a b c | < 1 2 @8, < 0 3 @3 | 4",
		"x and y or not z":                "x y z | and 0 1 @3, not 2 @12, or 3 4 @9 | 5",
		"x and (y and z)":                 "x y z | and 1 2 @10, and 0 3 @3 | 4",
		"x or y or z":                     "x y z | or 0 1 @3, or 3 2 @8 | 4",
		"not x == y":                      "x y | == 0 1 @7, not 2 @1 | 3",
		"a if c else b":                   "a c b | if 1 0 2 @3 | 3",
		"a if c else b if d else e":       "a c b d | float:2.718281828459045 @25, if 3 2 4 @15, if 1 0 5 @3 | 6",
		"(x)":                             "x |  | 0",
		"((x)) + ((y))":                   "x y | + 0 1 @7 | 2",
		"(sin)(x)":                        "x | sin 0 @2 | 1",
		"sin((x),)":                       "x | sin 0 @1 | 1",
		"arctan2(sin(x,), y,)":            "x y | sin 0 @9, arctan2 2 1 @1 | 3",
		"np.sin(x) + math.cos(x)":         "x | sin 0 @4, cos 0 @18, + 1 2 @11 | 3",
		"(np).sin(x)":                     "x | sin 0 @6 | 1",
		"numpy.pi * np.e":                 " | float:3.141592653589793 @7, float:2.718281828459045 @15, * 0 1 @10 | 2",
		"min(x, y, z)":                    "x y z | min 0 1 @1, min 3 2 @1 | 4",
		"clip(x, 0, 1)":                   "x | int:0 @9, int:1 @12, clip 0 1 2 @1 | 3",
		"where(c, x, y)":                  "c x y | where 0 1 2 @1 | 3",
		"abs(x) + absolute(x)":            "x | abs 0 @1, absolute 0 @10, + 1 2 @8 | 3",
		"x*x + x*x":                       "x | * 0 0 @2, + 1 1 @5 | 2",
		"1 + 1.5 + 2j + 0x1F + True":      " | int:1 @1, float:1.5 @5, + 0 1 @3, imaginary:2 @11, + 2 3 @9, int:31 @16, + 4 5 @14, bool:True @23, + 6 7 @21 | 8",
		"1. + .5 + 1e3 + 1E-3J":           " | float:1. @1, float:.5 @6, + 0 1 @4, float:1e3 @11, + 2 3 @9, imaginary:1e-3 @17, + 4 5 @15 | 6",
		"123456789012345678901234567890":  " | int:123456789012345678901234567890 @1 | 0",
		"1e999":                           " | float:1e999 @1 | 0",
		"lambda x, y: y - x":              "x y | - 1 0 @16 | 2",
		"lambda x, y: x":                  "x y |  | 0",
		"(lambda x: (x + 1))":             "x | int:1 @17, + 0 1 @15 | 2",
		"lambda e: e*e":                   "e | * 0 0 @12 | 1",
		"t = x*y\nt + sin(t)":             "x y | * 0 1 @6, sin 2 @2:5, + 2 3 @2:3 | 4",
		"t = x; t = t + 1; t*t":           "x | int:1 @16, + 0 1 @14, * 2 2 @20 | 3",
		"a = b = x + 1\na*b":              "x | int:1 @13, + 0 1 @11, * 2 2 @2:2 | 3",
		"x = x + 1\nx*2":                  "x | int:1 @9, + 0 1 @7, int:2 @2:3, * 2 3 @2:2 | 4",
		"t = exp(y)\nx":                   "y x |  | 1",
		"x + 1, x - 1":                    "x | int:1 @5, + 0 1 @3, - 0 1 @10 | 2 3",
		"(x, y)":                          "x y |  | 0 1",
		"x,":                              "x |  | 0",
		"\n  t = x  # first\n\n  t + y\n": "x y | + 0 1 @4:5 | 2",
		"(x\n  + y\n)":                    "x y | + 0 1 @2:3 | 2",
		"x + \\\n  y":                     "x y | + 0 1 @3 | 2",
		"x\r\n":                           "x |  | 0",
		"\tx\t+\ty":                       "x y | + 0 1 @4 | 2",
		"α*sin(β) + y":                    "α β y | sin 1 @3, * 0 3 @2, + 4 2 @10 | 5",
		"日本 + ~y":                         "日本 y | ~ 1 @6, + 0 2 @4 | 3",
		"match + case":                    "match case | + 0 1 @7 | 2",
		"+x":                              "x | + 0 @1 | 1",
		"- -x":                            "x | - 0 @3, - 1 @1 | 2",
		"(-x)**2":                         "x | - 0 @2, int:2 @7, ** 1 2 @5 | 3",
		"(not x) + (~y)":                  "x y | not 0 @2, ~ 1 @12, + 2 3 @9 | 4",
		"x<-y":                            "x y | - 1 @3, < 0 2 @2 | 3",
	} {
		found, err := Parse(text, nil)
		if assert.NoError(t, err, "%q", text) {
			assert.Equal(t, want, show(found), "%q", text)
		}
	}
}

func TestArgumentsInAGivenOrder(t *testing.T) {
	found, err := Parse("x - y", []string{"y", "x", "unused"})
	require.NoError(t, err)
	assert.Equal(t, "y x unused | - 1 0 @3 | 3", show(found))

	found, err = Parse("e + sin", []string{"sin", "e"})
	require.NoError(t, err)
	assert.Equal(t, "sin e | + 1 0 @3 | 2", show(found))

	found, err = Parse("lambda x, y: x - y", []string{"x", "y"})
	require.NoError(t, err)
	assert.Equal(t, "x y | - 0 1 @16 | 2", show(found))
}

func TestWhatIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "1:1: the expression is empty",
		" \n # x\n":                  "1:1: the expression is empty",
		"x + sinn(x)":                "1:5: no function 'sinn'; did you mean 'sin'?",
		"arctan2(y)":                 `1:1: "arctan2" takes 2 arguments, got 1`,
		"α + sin(x, y)":              `1:5: "sin" takes 1 argument, got 2`,
		"min(x)":                     `1:1: "min" takes 2 or more arguments, got 1`,
		"foobar(x)":                  "1:1: no function 'foobar'",
		"np.foo.sin(x)":              `1:4: no constant "foo"`,
		"np.min(x, y)":               `1:4: NumPy's "min" is another function: write min(...) without the prefix`,
		"np.sum(x)":                  `1:4: "sum" is no function of an expression: it works on whole arrays, and an expression on their elements: apply opweld.tensor.sum outside of it`,
		"divmod(x, y)":               `1:1: "divmod" is no function of an expression: it has two results: write x // y and x % y`,
		"x.real":                     "1:2: values have no attributes here: write real(...)",
		"(x + y).foo + z":            `1:8: values have no attributes here, so no "foo"`,
		"x.sin(y)":                   "1:2: values have no attributes here: write sin(...)",
		"np":                         `1:1: "np" is the prefix of functions, as in np.sin(x), and no value`,
		"np + 1":                     `1:1: "np" is the prefix of functions, as in np.sin(x), and no value`,
		"x + sin":                    `1:5: "sin" is a function of 1 argument: write sin(...)`,
		"x + np.sin":                 `1:8: "sin" is a function of 1 argument: write sin(...)`,
		"pi(x)":                      `1:1: "pi" is a constant and cannot be called`,
		"sin = x\nsin(sin)":          `2:1: "sin" is a value here and cannot be called`,
		"(x + y)(z)":                 "1:1: only functions can be called, by their names",
		"sin(x)(y)":                  "1:1: only functions can be called, by their names",
		"x[0]":                       "1:2: subscripts are not elementwise: index the array before it is given to the expression",
		"[x, y]":                     "1:1: lists are no values of an expression",
		"{x}":                        "1:1: sets and dicts are no values of an expression",
		"x + 'a'":                    "1:5: strings are no values of an expression",
		"x + f'{y}'":                 "1:5: f-strings (Python 3.6) are not read here: put the numbers into the text before expr is called",
		`rb"$"`:                      "1:1: strings are no values of an expression",
		"(t := x) + t":               "1:4: ':=' (Python 3.8) is not read here: assign on a line of its own, t = ...",
		"x @ y":                      "1:3: '@' (Python 3.5) is a product of matrices and not elementwise: use opweld.tensor.matmul",
		"x + 1_000":                  "1:5: underscores in numbers (Python 3.6) are not read here: write 1000",
		"x + 0xFF_FF":                "1:5: underscores in numbers (Python 3.6) are not read here: write 0xFFFF",
		"x + 1__0":                   "1:5: underscores in numbers (Python 3.6) are not read here: write 10",
		"0777":                       "1:1: 0777 begins with a zero: write 777, or 0o777 for an octal number",
		"x + 1if":                    `1:5: "1if" is no number`,
		"1.2.3":                      `1:1: "1.2.3" is no number`,
		"0x":                         `1:1: "0x" is no number`,
		"1e":                         `1:1: "1e" is no number`,
		"t: float = x\nt":            "1:2: annotations (Python 3.6) are not read here: write t = ...",
		"lambda x, /, y: x":          "1:11: '/' among a lambda's arguments (Python 3.8) is not read here: leave it out",
		"lambda x=1: x":              "1:9: a lambda's arguments are names alone here, without defaults and stars",
		"lambda *x: x":               "1:8: a lambda's arguments are names alone here, without defaults and stars",
		"lambda x, x: x":             `1:11: argument "x" occurs twice`,
		"lambda x: y":                `1:11: "y" is neither an argument nor a constant`,
		"lambda value: vaule":        `1:15: "vaule" is neither an argument nor a constant; did you mean 'value'?`,
		"x + (lambda y: y)":          "1:6: a lambda may only be the whole expression",
		"f(x, *y)":                   "1:6: starred arguments are not read here: write each one",
		"sin(**x)":                   "1:5: starred arguments are not read here: write each one",
		"sin(x, out=y)":              "1:8: keyword arguments are not read here: give arguments in order; to compare write '=='",
		"[y for y in x]":             "1:1: lists are no values of an expression",
		"sin(y for y in x)":          "1:7: comprehensions are not part of an expression: it is computed for each element as it is",
		"x is y":                     "1:3: 'is' compares objects, not values: write '==' or '!='",
		"x not in y":                 "1:3: 'not in' is not elementwise: compare by '!=' and 'and'",
		"x in y":                     "1:3: 'in' is not elementwise: compare by '==' and 'or'",
		"None":                       "1:1: None is no value of an expression",
		"x <> y":                     "1:3: write '!='",
		"x && y":                     "1:3: write 'and', or '&' for bits",
		"!x":                         "1:1: write 'not'",
		"x = 1":                      "1:1: the last line gives no value: add a line with the value",
		"x + 1\ny":                   "1:1: the value of this line is not used: assign it to a name",
		"x += 1\nx":                  `1:3: "+=" changes a value in place: write x = x + ...`,
		"x + y = 2\nx":               "1:1: only a name can be assigned to",
		"x = y + 1 = 2\nx":           "1:5: only a name can be assigned to",
		"a, b = x\na":                "1:1: only a name can be assigned to",
		"np = x\nnp":                 `1:1: "np" is the prefix of functions here: take another name`,
		"True = x\nx":                "1:1: only a name can be assigned to",
		"if x:\n  y":                 "1:1: 'if' statements are not part of an expression, which is assignments to names and, as the last line, the value",
		"import numpy":               "1:1: 'import' statements are not part of an expression, which is assignments to names and, as the last line, the value",
		"return x":                   "1:1: 'return' statements are not part of an expression, which is assignments to names and, as the last line, the value",
		"t = x\n  t":                 "2:3: this line is indented otherwise than the first",
		"x + (y, z)":                 "1:5: a tuple is no value here: only the last line may be one, for several results",
		"()":                         "1:1: the expression has no value",
		"x + ()":                     "1:5: a tuple is no value here: only the last line may be one, for several results",
		"(x + y":                     `1:1: "(" is never closed`,
		"x + y)":                     `1:6: ")" closes nothing`,
		"(x + y]":                    `1:7: "]" cannot close the "(" of line 1, column 1`,
		"x +":                        `1:4: the expression is not complete: something must follow "+"`,
		"α +  # β":                   `1:4: the expression is not complete: something must follow "+"`,
		"t = x *\nt":                 `1:8: the expression is not complete: something must follow "*"`,
		"x + * y":                    `1:5: "*" cannot stand here`,
		"ααα + ) y":                  `1:7: ")" closes nothing`,
		"αα + / y":                   `1:6: "/" cannot stand here`,
		"2 x":                        `1:3: an operator is missing between "2" and "x"`,
		"x y":                        `1:3: an operator is missing between "x" and "y"`,
		"x sin(y)":                   `1:3: an operator is missing between "x" and "sin"`,
		"x if y":                     "1:7: a condition has two values: write a if c else b",
		"(x if y) + 1":               "1:8: a condition has two values: write a if c else b",
		"x = = y\nx":                 "1:5: '=' assigns, and stands after a name at the beginning of a line: to compare write '=='",
		"x ? y : z":                  "1:3: '?' is no character of an expression",
		"x + \u00a0y":                "1:5: U+00A0 is no character of an expression",
		"x\x00":                      "1:2: U+0000 is no character of an expression",
		"x \\ y":                     "1:3: a backslash may only end a line",
		"x + \\":                     "1:5: nothing follows the backslash",
		"...":                        "1:1: '...' is no value of an expression",
		strings.Repeat("(", 201):     "1:201: brackets are nested more than 200 deep",
		strings.Repeat("x", 1<<16+1): "1:1: the text has 65537 bytes; an expression has at most 65536",
	} {
		found, err := Parse(text, nil)
		if !assert.Nil(t, found, "%q", text) {
			continue
		}
		var fault *Error
		require.True(t, errors.As(err, &fault), "%q: %v", text, err)
		assert.Equal(t, want, fmt.Sprintf("%d:%d: %s", fault.Line, fault.Column, fault.Message), "%q", text)
	}
}

func TestArgumentsThatTheTextDoesNotHave(t *testing.T) {
	_, err := Parse("x + yy", []string{"x", "y"})
	assert.EqualError(t, err, `line 1, column 5: "yy" is neither an argument nor a constant; did you mean 'y'?`)
	_, err = Parse("lambda x: x", []string{"y"})
	assert.EqualError(t, err, `line 1, column 1: the lambda's arguments are [x], and args gives [y]`)
}

// A text as long as may be, of one sort: no recursion runs out of its stack.
func TestDeepTexts(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("-", 60_000) + "x",
		"x" + strings.Repeat("+x", 30_000),
		"x" + strings.Repeat("**x", 20_000),
		"x" + strings.Repeat("<x", 30_000),
		"x" + strings.Repeat(" or x", 12_000),
		"x" + strings.Repeat(" if x else x", 5_000),
		strings.Repeat("sin(", 200) + "x" + strings.Repeat(")", 200),
	} {
		_, err := Parse(text, nil)
		assert.NoError(t, err, "%.20q", text)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"x*y + sin(x)", "lambda x, y: x if x < y else y", "t = x*y\nt + sin(t)", "a < b <= c != d", "(x,\n y)", "np.pi*1e5j",
		"not x or ~y & 0x1f", "f'{x}'", "x = = y", "min(x, y, z,)", "x.real", "日 + é", "x \\\n + y", "x; y = 2; y",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := Parse(text, nil)
		if err != nil {
			var fault *Error
			require.True(t, errors.As(err, &fault), "%v", err)
			rows := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
			require.True(t, 1 <= fault.Line && fault.Line <= len(rows), "%v", err)
			row := []rune(rows[fault.Line-1])
			require.True(t, 1 <= fault.Column && fault.Column <= len(row)+1, "%v", err)
			return
		}
		for i, made := range found.Body {
			for _, arg := range made.Args {
				require.True(t, 0 <= arg && arg < len(found.Args)+i)
			}
		}
		for _, result := range found.Results {
			require.True(t, 0 <= result && result < len(found.Args)+len(found.Body))
		}
	})
}
