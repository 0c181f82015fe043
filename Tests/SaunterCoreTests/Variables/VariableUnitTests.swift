import Testing

@testable import SaunterCore

@Suite struct VariableUnitTests {
    @Test func `a value has the unit of the answer, metric or duration from which it is computed`() {
        let weight = TailoringVariable.Source.entry(.init(["log"], .item("weight")))
        let variables: [(TailoringVariable, String?)] = [
            (.init(id: "weight", kind: .latest, source: weight), "kg"),
            (.init(id: "weights", kind: .series(each: .week), source: weight), "kg"),
            (.init(id: "trend", kind: .slope, source: weight), "kg/d"),
            (.init(id: "change", kind: .change(of: "weight", since: nil)), "kg"),
            (.init(id: "mood", kind: .statistic(.mean), source: .entry(.init(["log"], .item("mood")))), nil),
            (.init(id: "level", kind: .latest, source: .entry(.init(["log"], .scale("level")))), nil),
            (
                .init(
                    id: "mixed", kind: .latest, source: .entry(.init(["log"], .items(["weight", "mood"])))),
                nil
            ),
            (.init(id: "metres", kind: .statistic(.sum), source: .walk(.distance)), "m"),
            (.init(id: "pace", kind: .statistic(.mean), source: .walk(.meanPace)), "s/km"),
            (.init(id: "walks", kind: .count, source: .walk(.distance)), nil),
            (
                .init(
                    id: "open", kind: .statistic(.sum),
                    source: .usage(.appClosed, feature: nil, isSeconds: true)), "s"
            ),
            (.init(id: "streak", kind: .streak, source: weight), "d"),
            (.init(id: "last", kind: .at(isOldest: false), source: weight), nil),
            (.init(id: "double", kind: .expression("weight * 2")), nil),
        ]
        let study = VariableSamples.study(variables.map { $0.0 })

        for (variable, unit) in variables {
            #expect(study.unit(of: variable) == unit, "\(variable.id)")
        }
    }
}
