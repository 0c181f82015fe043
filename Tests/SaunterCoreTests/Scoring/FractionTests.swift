import Testing

@testable import SaunterCore

@Suite struct FractionTests {
    @Test func `fractions are reduced, and the numerator has the sign`() throws {
        let half = try #require(Fraction(-3, over: -6))

        #expect(half.numerator == 1)
        #expect(half.denominator == 2)
        #expect(Fraction(3, over: -6)?.numerator == -1)
        #expect(Fraction(0, over: -6)?.denominator == 1)
        #expect(Fraction(1, over: 0) == nil)
        #expect(Fraction(.min, over: 1) == nil)
    }

    @Test(arguments: [
        (0.1, 1, 10), (-2.675, -107, 40), (1e-7, 1, 10_000_000), (123.0, 123, 1), (0.0, 0, 1),
        (1.5e3, 1500, 1),
    ])
    func `a double is read as its decimal notation`(value: Double, above: Int, below: Int) {
        #expect(Fraction(decimal: value) == Fraction(Int128(above), over: Int128(below)))
    }

    @Test(arguments: [
        Double.nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ])
    func `a number that does not fit into 128 bits is not a fraction`(value: Double) {
        #expect(Fraction(decimal: value) == nil)
    }

    @Test func `an overflow returns nil and never traps`() throws {
        let huge = try #require(Fraction(.max, over: 1))
        let tiny = try #require(Fraction(1, over: .max))
        let third = try #require(Fraction(1, over: 3))

        #expect(huge.plus(huge) == nil)
        #expect(huge.times(huge) == nil)
        #expect(tiny.times(tiny) == nil)
        #expect(tiny.plus(third) == nil)
        #expect(huge.isLess(than: third) == nil)
        #expect(huge.rounded(Rounding(places: 9, mode: .up)) == nil)
        #expect(huge.rounded(Rounding(places: .max, mode: .up)) == nil)
        #expect(tiny.rounded(Rounding(places: .min, mode: .up)) == Fraction(1))
    }

    @Test func `random sums and products are equal to integer arithmetic`() throws {
        var random = QuestionnaireRandom(state: 3)
        for _ in 0..<2000 {
            let (a, b, c, d) = (
                Int128.random(in: -999...999, using: &random), Int128.random(in: 1...999, using: &random),
                Int128.random(in: -999...999, using: &random), Int128.random(in: 1...999, using: &random)
            )
            let left = try #require(Fraction(a, over: b))
            let right = try #require(Fraction(c, over: d))

            #expect(left.plus(right) == Fraction(a * d + c * b, over: b * d))
            #expect(left.times(right) == Fraction(a * c, over: b * d))
            #expect(left.isLess(than: right) == (a * d < c * b))
            let down = try #require(left.rounded(Rounding(places: 0, mode: .down)))
            #expect(down.numerator == a / b)
        }
    }

    @Test func `a quantity becomes a double if it cannot be exact`() {
        let huge = Quantity(1e300)

        #expect((huge + Quantity(1)).double == 1e300)
        #expect((huge * Quantity(10)).double == 1e301)
        #expect((huge * huge).double == .infinity)
        #expect(huge.divided(by: 4).double == 2.5e299)
        #expect(Quantity(5) < huge)
        #expect(!(huge < Quantity(5)))
        #expect(huge.rounded(Rounding(places: 2, mode: .halfEven)).double == 1e300)
        #expect((Quantity(1e-300) * Quantity(1e-300)).rounded(Rounding(places: 2, mode: .up)).double == 0)
        #expect(Quantity(1e-30).rounded(Rounding(places: 2, mode: .up)).double == 0.01)
        #expect(Quantity(-0.0).double.sign == .plus)
    }
}
