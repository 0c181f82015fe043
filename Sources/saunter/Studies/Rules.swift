import ArgumentParser
import Console
import Foundation
import SaunterCore

/// Makes the decisions of a study's rules for one made-up participant. Uses the same planner as the server.
struct Rules: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the decisions of a study's rules for a made-up participant.",
        discussion: """
            Needs no database. The person file is YAML or JSON; Questionnaires/README.md describes its members. A file whose name \
            ends in .ndjson has one person per line; the output then has one line of JSON per person.

            Example: saunter rules Questionnaires/studies/emotions-tracker --person person.yaml --from 2026-11-01T00:00:00Z --days 14
            """)

    @Argument(help: "The study's folder, studies/<code>.")
    var path: String
    @Option(help: "A file with the made-up participant, in YAML or JSON; - for standard input.")
    var person: String
    @Option(
        help: "The first instant, such as 2026-11-21T00:00:00Z; default: the enrolment.",
        transform: ArgumentValue.instant)
    var from: Instant?
    @Option(help: "The number of days.") var days: Int
    @Flag(help: "Print one JSON document.") var json = false

    func run() throws {
        guard (1...Study.maximumDays).contains(days) else {
            throw CommandFault("--days must be 1 to \(Study.maximumDays)")
        }
        let plan = RulePlan(try PackFolder.study(at: path))
        guard person.hasSuffix(".ndjson") else {
            let decisions = try decisions(of: PersonFile.json(at: person), plan, named: person)
            return json ? Self.show(asJSON: decisions) : show(decisions)
        }
        let lines = try String(contentsOfFile: person, encoding: .utf8).split(separator: "\n")
        for (number, line) in lines.enumerated() {
            let document = try JSONReader.read(String(line))
            Self.show(asJSON: try decisions(of: document, plan, named: "\(person):\(number + 1)"))
        }
    }

    /// The decisions with their local times, in order of time.
    private func decisions(
        of document: JSON, _ plan: RulePlan, named name: String
    ) throws -> [(decision: RuleDecision, local: String)] {
        let made: RulePerson
        do throws(Faults) {
            made = try RulePerson(document, of: plan.study)
        } catch {
            for fault in error.list { Terminal.note("\(name): \(fault.pointer): \(fault.detail)") }
            throw ExitCode.failure
        }
        var simulation = RuleSimulation(plan: plan, facts: made.facts, initialSettings: made.settings)
        let variables = made.facts.variables
        let start = from ?? variables.enrolledAt
        let end = start.adding(seconds: days * 86_400).adding(milliseconds: -1)
        return simulation.run(from: start, through: end).map { decision in
            let zone = variables.zones.zone(
                at: decision.decidedAt, enrolledAt: variables.enrolledAt, fallback: plan.study.zone)
            let local = zone.local(of: decision.decidedAt)
            return (decision, "\(local.date) \(local.time)")
        }
    }

    private static func show(asJSON lines: [(decision: RuleDecision, local: String)]) {
        let decisions = lines.map { decision, local in
            var object = decision.json
            object["local_time"] = .string(local)
            return JSON.object(object)
        }
        Terminal.line(JSON.object(["decisions": .array(decisions)]).text)
    }

    private func show(_ lines: [(decision: RuleDecision, local: String)]) {
        var table = TextTable(["moment", "local time", "rule", "point", "outcome", "variables"])
        for (decision, local) in lines {
            let point = decision.point
            let outcome = [
                decision.outcome.rawValue,
                decision.sendAt.flatMap { $0 == decision.decidedAt ? nil : "at \($0)" },
                decision.draw.map { "draw \(JSON.double(($0 * 1000).rounded() / 1000).text)" },
            ].compactMap(\.self).joined(separator: ", ")
            table.append([
                point.moment.description, local, point.rule,
                point.key.isEmpty ? point.point : "\(point.point) \(point.key)", outcome,
                decision.variables.members.map { "\($0.name)=\($0.value.text)" }.joined(separator: " "),
            ])
        }
        for line in table.lines { Terminal.line(line) }
        Terminal.line("\(lines.count) decisions, \(lines.count { $0.decision.outcome.isAction }) actions")
    }
}
