import Testing

@testable import SaunterStatisticsFiles

@Suite struct ScriptLiteralTests {
    @Test func `a label in SPSS is split so that lines stay short, and its quotation marks are doubled`() {
        #expect(SPSSSyntax.literal("it's") == "'it''s'")
        #expect(SPSSSyntax.literal("") == "''")
        let long = String(repeating: "ü", count: 120)
        let pieces = SPSSSyntax.literal(long).split(separator: "\n")
        #expect(pieces.count == 3)
        #expect(
            pieces.joined().replacing("'", with: "").replacing("+", with: "").replacing(" ", with: "") == long
        )
    }

    @Test func `Stata expands no macro in a label`() {
        #expect(StataScript.literal("a `b' $c \"d\"\ne") == "`\"a 'b' \\$c \"d\" e\"'")
    }

    @Test func `a text is truncated between characters`() {
        #expect("aüb".prefix(bytes: 2) == "a")
        #expect("aüb".prefix(bytes: 3) == "aü")
        #expect("aüb".prefix(bytes: 9) == "aüb")
    }
}
