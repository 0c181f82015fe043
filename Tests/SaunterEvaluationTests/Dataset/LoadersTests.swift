import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct LoadersTests {
    @Test func `pandas loads every table with the types that the codebook states`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                let outcome = try Program.run(Program.python, [Garden.fixtures + "/check_load.py", folder])
                #expect(
                    outcome.status == 0,
                    "\(outcome.output)\nThe test needs pandas: pip install pandas, or set SAUNTER_TEST_PYTHON"
                )
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    @Test func `polars and pandas read the same values from every table`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full) { folder, _ in
                let outcome = try Program.run(Program.python, [Garden.fixtures + "/check_polars.py", folder])
                #expect(
                    outcome.status == 0,
                    "\(outcome.output)\nThe test needs pandas and polars, or set SAUNTER_TEST_PYTHON")
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    @Test func `base R loads every table with the types that the codebook states`() async throws {
        try await Garden.with { garden in
            try await garden.dataset { folder, _ in
                for locale in ["C", "C.UTF-8"] {
                    let outcome = try Program.run(
                        "LC_ALL=\(locale)", ["Rscript", Garden.fixtures + "/check_load.R", folder])
                    #expect(outcome.status == 0, "\(outcome.output)\nThe test needs R: r-base-core")
                    #expect(outcome.output.hasSuffix("all as expected\n"))
                }
            }
        }
    }
}
