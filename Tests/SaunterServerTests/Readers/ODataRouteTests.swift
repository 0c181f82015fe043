import Foundation
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Requests for the OData feed that are rejected. Other suites compare its rows with the dataset.
@Suite struct ODataRouteTests {
    private static let feed = "/v1/studies/mindful-walking/odata/"

    /// Expects an error in the format of OData.
    private static func expectError(
        _ status: Int, _ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
        let members = answer.json.object?.map(\.name)
        let error = answer.json["error"]
        #expect(members == ["error"], sourceLocation: sourceLocation)
        #expect(error?["code"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
        #expect(error?["message"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    @Test(
        arguments: [
            ("filter", "hat eq 1"), ("filter", "rev eq"), ("filter", "rev eq 'one'"),
            ("filter", "(rev eq 1"), ("filter", "rev eq 1)"), ("filter", "instrument eq 'open"),
            ("filter", "startswith(instrument,'p')"), ("filter", "rev eq 1 rev eq 2"), ("filter", ""),
            (
                "filter",
                String(repeating: "(", count: 100) + "rev eq 1" + String(repeating: ")", count: 100)
            ), ("filter", String(repeating: "not ", count: 100) + "rev eq 1"),
            ("filter", Array(repeating: "rev eq 1", count: 100).joined(separator: " or ")),
            ("filter", "rev gt null"), ("filter", "submitted_at gt yesterday"),
            ("filter", "deleted eq 1"), ("select", "hat"), ("select", ","), ("orderby", "rev"),
            ("orderby", "enrolment_id asc, sheet_id desc"), ("orderby", "sheet_id"), ("skiptoken", "x"),
            ("top", "-1"), ("skiptoken", "WyJhIiwiYiIsIiJd"), ("top", "many"), ("hat", "1"),
            ("expand", "answers"), ("format", "xml"),
        ])
    func `an unsupported query option is rejected`(_ option: String, _ value: String) async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let answer = try await rosa.get("\(Self.feed)sheets?$\(option)=\(Self.encoded(value))")

            Self.expectError(400, answer)
        }
    }

    @Test(arguments: ["hat", "walk_samples"])
    func `a table that the feed does not have is not found`(_ table: String) async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            Self.expectError(404, try await rosa.get("\(Self.feed)\(table)"))
        }
    }

    @Test func `the feed needs a permission for the study`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let rosa = try await ada.researcher()
            let made = try await rosa.post(
                "/v1/studies/mindful-walking/api-tokens", ["label": "tests"])
            let secret = try #require(made.json["token"]?.string)
            var anonymous = ada
            anonymous.token = nil
            /// The response to a request for sheets with this `Authorization` header.
            func read(_ authorization: String?) async throws -> Answer {
                var headers = HTTPFields()
                headers[.authorization] = authorization
                return try await anonymous.send(
                    .get, "\(Self.feed)sheets", bytes: nil, headers: headers)
            }
            func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }

            let challenge = try await read(nil)
            Self.expectError(401, challenge)
            #expect(challenge.headers[.wwwAuthenticate]?.contains("Basic realm=") == true)
            for wrong in ["excel:" + String(repeating: "0", count: 32), "no colon"] {
                Self.expectError(401, try await read(basic(wrong)))
            }
            Self.expectError(403, try await read(basic("excel:\(ada.token ?? "")")))
            for right in [basic("excel:\(secret)"), "Bearer \(secret)", "Bearer \(rosa.token ?? "")"] {
                #expect(try await read(right).status == 200)
            }
            Self.expectError(404, try await rosa.get("/v1/studies/other-study/odata/sheets"))
        }
    }
}
