import Foundation
import SaunterCore
import SaunterPacks

/// The study in a third version, whose scoring key declares changes and windows. In the score, minutes
/// count a tenth each, SD 2 and reliability 0.5, so that the error of a difference is 2.
enum GardenOverTime {
    static let scoring = """
        version: 2.0.0
        scales:
          - id: load
            items: [minutes]
            method: value
            factor: 0.1
            change: {sd: 2, reliability: 0.5, source: made up, direction: lower_is_better, important: 3}
            windows:
              - {id: pair, days: 2, minimum: 2}
              - {id: whole, minimum: 1}
          - id: steps
            items: [minutes]
            method: value
            bands: [{id: few, below: 2}, {id: many, from: 2}]
            change: {sd: 1, reliability: 0, source: made up, baseline: previous, direction: higher_is_better}

        """

    /// The same questionnaire as mood 1.1.0 with another scoring key.
    static func pack() throws -> PackFiles {
        var files: [String: String] = [:]
        for (path, text) in try Garden.pack("garden-2").files {
            let folder = "instruments/mood/1.1.0/"
            if path.hasPrefix(folder) {
                let name = String(path.dropFirst(folder.count))
                files["instruments/mood/1.1.1/" + name] =
                    name == "scoring.yaml"
                    ? scoring
                    : text.replacingOccurrences(of: "1.1.0", with: "1.1.1")
                        .replacingOccurrences(of: "feeling: Feeling", with: "load: Load")
                        .replacingOccurrences(of: "reasons: Reasons", with: "steps: Steps")
                        .replacingOccurrences(of: "  reasons:", with: "  steps:")
            } else {
                files[path] = text.replacingOccurrences(of: "version: 2.0.0", with: "version: 3.0.0")
                    .replacingOccurrences(of: "version: 1.1.0", with: "version: 1.1.1")
            }
        }
        return PackFiles(files: files)
    }

    /// SQL that inserts a sheet of mood 1.1.0 per entry, at 10:00 UTC on the given day since enrolment. Nil means no
    /// answer.
    /// - Parameter hoursBehind: index of a sheet -> the number of hours by which the clock of its device was slow.
    static func sheets(_ minutes: [(day: Int, minutes: Double?)], hoursBehind: [Int: Int] = [:]) -> String {
        minutes.enumerated().map { index, sheet in
            let id = "00000000-0000-4000-8000-0000000010\(index < 16 ? "0" : "")\(String(index, radix: 16))"
            let at = "timestamptz '2026-03-28T10:00:00Z' + interval '\(sheet.day) days'"
            let skew = hoursBehind[index, default: 0]
            let deviceTime = "\(at) - interval '\(skew) hours'"
            return """
                insert into research.answer_sheet (enrolment_id, sheet_id, revision, current, questionnaire, version, study_version,
                  consent_version, language, started_at, completed_at, received_at, zone, started_offset_min, completed_offset_min,
                  skew_ms, standing, completes, flags, slots, numbers, cleared, body_sha256) values
                ('00000000-0000-4000-8000-0000000000e1', '\(id)', 1, true, 'mood', '1.1.0', '2.0.0', '1.0.0', 'en', \(deviceTime), \(deviceTime), \(at),
                  'UTC', 0, 0, \(skew * 3_600_000), 'unscheduled', false, '{}',
                  '{0,-998,-998,-998,-996,\(sheet.minutes == nil ? -996 : 0),-996,-996,-996,-996,-996,-996,-996}',
                  '{\(sheet.minutes.map { "\($0)" } ?? "null"),null,null,null}', '{}', '\\x01');
                """
        }.joined(separator: "\n")
    }
}
