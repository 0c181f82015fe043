import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct ResponseBundleTests {
    @Test func `fhir.resources validates the bundle, and every answer and score is in it`() async throws {
        try await Garden.with { garden in
            _ = try await StudyRescoring(pool: garden.research).run(study: "garden")
            try await garden.dataset(formats: [.fhir]) { folder, _ in
                let outcome = try Program.run(Program.python, [Garden.fixtures + "/check_fhir.py", folder])
                #expect(
                    outcome.status == 0,
                    "\(outcome.output)\nThe test needs fhir.resources: pip install fhir.resources")
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    @Test func `a de-identified bundle has no free text, and a public dataset has no bundle`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .deidentified, formats: [.fhir]) { folder, _ in
                let text = try String(
                    contentsOfFile: folder + "/fhir/questionnaire_responses.json", encoding: .utf8)
                #expect(text.contains("\"code\":\"2\""))
                #expect(
                    !text.contains("quoted") && !text.containsGardenPseudonym && !text.contains("2026-03-2"))
            }
            try await garden.dataset(profile: .public, formats: [.fhir]) { _, manifest in
                #expect(manifest.files.allSatisfy { !$0.path.hasPrefix("fhir/") })
            }
        }
    }
}
