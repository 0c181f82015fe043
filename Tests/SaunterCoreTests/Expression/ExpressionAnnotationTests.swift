import Testing

@testable import SaunterCore

@Suite struct ExpressionAnnotationTests {
    private static let values = ["mood": "2.4", "area.stress": "red", "it": "sleep", "begun": "2026-11-01"]

    @Test(arguments: [
        ("mood < 3", "mood (2.4) < 3"), ("mood<3 and mood>1", "mood (2.4)<3 and mood (2.4)>1"),
        ("area.stress = 'mood'", "area.stress (red) = 'mood'"),
        ("not exists(other) or it in ('a', 'b')", "not exists(other) or it (sleep) in ('a', 'b')"),
        ("days_since(begun) > -mood", "days_since(begun (2026-11-01)) > -mood (2.4)"),
        ("'grüße' = it", "'grüße' = it (sleep)"), ("if(true, 1, 2) = 1", "if(true, 1, 2) = 1"),
    ])
    func `the value of each name is written after it`(source: String, expected: String) throws {
        let expression = try Expression(source, dialect: .variables)

        #expect(expression.annotated { Self.values[$0] } == expected)
        #expect(expression.annotated { _ in nil } == source)
    }
}
