import ArgumentParser
import Console
import Foundation
import SaunterCore

/// Computes the tailoring variables of made-up participants. Uses the same evaluator as the server.
struct Variables: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the tailoring variables of made-up participants.",
        discussion: """
            Needs no database. Each line of the history is one participant in JSON; Questionnaires/README.md describes its members.

            Example: saunter variables Questionnaires/studies/emotions-tracker --history participants.ndjson
            """)

    @Argument(help: "The study's folder, studies/<code>.")
    var path: String
    @Option(help: "A file with one participant per line in JSON; - for standard input.")
    var history: String
    @Flag(help: "Print JSON, one line per participant.") var json = false

    func run() throws {
        let study = try PackFolder.study(at: path)
        let plan = VariablePlan(study)
        let reader = HistoryStudy(study)
        var faultCount = 0
        for (number, line) in try lines().enumerated() where !line.allSatisfy(\.isWhitespace) {
            do throws(Faults) {
                let participant = try ParticipantHistory(Self.parse(line), of: reader)
                let values = plan.values(from: participant.facts, at: participant.at)
                show(values, participant, study)
            } catch {
                faultCount += error.list.count
                for fault in error.list {
                    Terminal.note("\(history):\(number + 1): \(fault.pointer): \(fault.detail)")
                }
            }
        }
        guard faultCount == 0 else { throw ExitCode.failure }
    }

    private func lines() throws -> [Substring] {
        let text: String
        if history == "-" {
            text = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
        } else {
            text = try String(contentsOfFile: history, encoding: .utf8)
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func parse(_ line: Substring) throws(Faults) -> JSON {
        do throws(JSONFault) {
            return try JSONReader.read(String(line))
        } catch {
            switch error {
            case .rejected(let faults): throw faults
            case .unreadable(let offset, let reason):
                throw Faults([
                    Fault(
                        pointer: "", code: "unreadable",
                        detail: "This is not JSON: \(reason) (byte \(offset)).")
                ])
            }
        }
    }

    private func show(_ values: [VariableValue], _ participant: ParticipantHistory, _ study: Study) {
        let date = participant.facts.zones.zone(
            at: participant.at, enrolledAt: participant.facts.enrolledAt, fallback: study.zone
        ).local(of: participant.at).date
        guard !json else {
            let variables = JSONObject(
                values.map { JSONObject.Member(name: $0.variable, value: .object($0.json)) })
            let line: JSON = [
                "participant": .string(participant.participant), "as_of": .string(participant.at.description),
                "local_date": .string(date.description), "variables": .object(variables),
            ]
            return Terminal.line(line.text)
        }
        Terminal.line("\(participant.participant) at \(participant.at), local date \(date)")
        var table = TextTable(["variable", "value", "n", "window", "remark"])
        for value in values {
            table.append([
                value.variable, value.entries == nil || value.value != .blank ? value.value.json.text : "",
                String(value.n), value.window.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "",
                value.remark,
            ])
            for entry in value.entries ?? [] {
                table.append([
                    "  \(entry.key)", entry.value.json.text, String(entry.n), "",
                    entry.reason?.rawValue ?? "",
                ])
            }
        }
        for line in table.lines { Terminal.line(line) }
    }
}

extension VariableValue {
    /// The reason of a null, or the members of a streak.
    fileprivate var remark: String {
        let best = best.map { "best \($0)" }
        let last = lastOn.map { "last on \($0)" }
        return [reason?.rawValue, best, last].compactMap(\.self).joined(separator: ", ")
    }
}
