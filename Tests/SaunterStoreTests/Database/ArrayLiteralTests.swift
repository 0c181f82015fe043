import Postgres
import Testing

@testable import SaunterStore

@Suite struct ArrayLiteralTests {
    @Test func `PostgreSQL reads texts unchanged, with any content`() async throws {
        try await StoreFixture.with { fixture in
            for texts in [
                [], [""], ["a"], ["NULL", "null"], ["a,b", "{c}", "\"d\"", "\\", " e "], ["é🙂\n\t'"],
            ] {
                let read: [String] = try await fixture.value(
                    "select $1::text::text[] as value", [.text(ArrayLiteral.texts(texts))])
                #expect(read == texts)
            }
        }
    }

    @Test func `PostgreSQL reads numbers unchanged, including nulls`() async throws {
        try await StoreFixture.with { fixture in
            let slots: [Int16] = [0, -998, .min, .max]
            let readSlots: [Int16] = try await fixture.value(
                "select $1::text::int2[] as value", [.text(ArrayLiteral.numbers(slots))])
            #expect(readSlots == slots)

            let numbers: [Double?] = [
                nil, 7.5, -0.1, 1e300, .leastNonzeroMagnitude, 9_007_199_254_740_992, .infinity,
            ]
            let readNumbers: [Double?] = try await fixture.value(
                "select $1::text::float8[] as value", [.text(ArrayLiteral.numbers(numbers))])
            #expect(readNumbers == numbers)
            #expect(ArrayLiteral.numbers([Double?]()) == "{}")
        }
    }
}
