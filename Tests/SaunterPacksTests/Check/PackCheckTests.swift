import Foundation
import Testing

@testable import SaunterPacks

@Suite struct PackCheckTests {
    @Test func `all packs of this repository have no faults`() {
        let report = PackCheck.run(paths: [RealPacks.root.path])

        #expect(report.faults.map(\.description) == [])
        #expect(report.hints.map(\.description) == [])
        #expect(report.studyCount >= 1)
        #expect(report.instrumentCount >= 6)
        #expect(report.vectorCount >= 70)
    }

    @Test func `a report contains what was read and the burden of a study`() {
        let report = PackCheck.run(paths: [RealPacks.root.appending(path: "studies/mindful-walking").path])

        #expect(report.summary == "1 study, 6 instruments, 73 worked cases: no faults")
        #expect(report.burden.count == 2)
        #expect(
            report.burden.first?.text
                == "mindful-walking, arm experimental: 3.1 minutes of questionnaires a day, with one walk a day; "
                + "10.0 minutes on the busiest day (only schedules that count from enrolment)")
        #expect(report.burden.map(\.minutesPerDay).first == 3.1)
        #expect(report.burden.map(\.busiestDayMinutes).first == 10)
        #expect(report.lines.prefix(2) == report.burden.map(\.text)[...])
    }

    @Test func `an instrument is counted once, and a file selects its pack`() {
        let root = RealPacks.root.appending(path: "instruments/pss_10")
        let paths = [root, root.appending(path: "1.0.0"), root.appending(path: "1.0.0/text.de.yaml")].map(
            \.path)

        let report = PackCheck.run(paths: paths)

        #expect(report.summary == "0 studies, 1 instrument, 13 worked cases: no faults")
    }

    @Test func `a fault has the path of its file on disk`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "packs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = root.appending(path: "instruments/who_5/1.0.0")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (path, text) in try RealPacks.instrument("who_5").files {
            let changed = text.replacingOccurrences(
                of: "all highest,5,5,5,5,5,100", with: "all highest,5,5,5,5,5,25")
            try Data(changed.utf8).write(to: root.appending(path: path))
        }

        let report = PackCheck.run(paths: [root.path])

        #expect(
            report.faults == [
                PackFault(
                    file: root.path + "/instruments/who_5/1.0.0/vectors.csv", line: 3,
                    message: "case \"all highest\": score.wellbeing is 100, expected 25 ± 1e-9")
            ])
    }

    @Test func `an unusual unit is a hint at its line, not a fault`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "packs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = root.appending(path: "instruments/pace/1.0.0")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = [
            "SOURCE.md": "Ours.\n",
            "text.en.yaml": "title: Pace\nitems: {pace: How fast?, far: How far?, top: At most?}\n",
            "questionnaire.yaml": """
            code: pace
            version: 1.0.0
            languages: [en]
            item:
              - {linkId: far, type: quantity, unitOption: [km]}
              - {linkId: pace, type: quantity, unitOption: [km/h, mph]}
              - {linkId: top, type: decimal, unit: mph}

            """,
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }

        let report = PackCheck.run(paths: [root.path])

        #expect(report.faults == [])
        #expect(
            report.hints
                == [6, 7].map {
                    PackFault(
                        file: root.path + "/instruments/pace/1.0.0/questionnaire.yaml", line: $0,
                        message: "mph is the milliphot, of light; did you mean [mi_i]/h?")
                })
    }

    @Test(arguments: ["/nowhere/at/all", "/etc/passwd"])
    func `a path without a pack is a fault`(path: String) {
        #expect(PackCheck.run(paths: [path]).faults.map(\.file) == [path])
    }
}
