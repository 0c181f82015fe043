import HTTPTypes
import SaunterCore
import SaunterServer

/// Versions of a draft that have to be raised, or that were raised, in words.
struct RaisedVersions: Equatable {
    /// One version number that changes.
    struct Step: Equatable {
        /// The code of a questionnaire; nil for the study.
        let questionnaire: String?
        let from: String
        let to: String
    }

    /// The most versions that an address contains.
    private static let maximumSteps = 20

    let steps: [Step]

    var isEmpty: Bool { steps.isEmpty }

    /// - Parameter json: the response of `GET` or `POST …/draft/versions`.
    init(_ json: JSON) {
        let questionnaires = (json["questionnaires"]?.array ?? []).map { step in
            Step(
                questionnaire: step["code"]?.string ?? "", from: step["from"]?.string ?? "",
                to: step["to"]?.string ?? "")
        }
        let study = json["study"].flatMap { step -> Step? in
            step["from"]?.string.map { Step(questionnaire: nil, from: $0, to: step["to"]?.string ?? "") }
        }
        steps = questionnaires + [study].compactMap(\.self)
    }

    /// Reads `query`. Parts of any other form are left out.
    init(query: String) {
        steps = query.split(separator: ",").prefix(Self.maximumSteps).compactMap { part in
            guard let found = part.wholeMatch(of: /([a-z][a-z0-9_]{0,23})?:([0-9.]{5,17}):([0-9.]{5,17})/)
            else {
                return nil
            }
            return Step(
                questionnaire: found.1.map(String.init), from: String(found.2), to: String(found.3))
        }
    }

    /// The steps as a value of an address, such as `mood:1.0.0:1.0.1,:2.0.0:2.0.1`.
    var query: String {
        steps.suffix(Self.maximumSteps).map { "\($0.questionnaire ?? ""):\($0.from):\($0.to)" }
            .joined(separator: ",")
    }

    /// One sentence for each version.
    func sentences(_ words: Words.Language, done: Bool) -> [String] {
        steps.map { step in
            let name = (step.questionnaire == nil ? "study" : "questionnaire") + (done ? "_raised" : "_raise")
            return words.text(
                "raise", name, ["code": step.questionnaire ?? "", "from": step.from, "to": step.to])
        }
    }
}

/// The form of the page for publishing that raises the versions of what changed.
struct RaisePage: Sendable {
    let context: PageContext

    var raise: Route {
        context.post("/staff/{study}/draft/versions") { request in
            _ = try request.requireIdentity()
            let study = try request.path("study")
            let address = DraftAddress(study: study)
            let page = PublishPage.address(study)
            do {
                let revision = Int(request.field("revision")) ?? 0
                let done = try await request.send(
                    .post, "\(address.resource)/versions", headers: DraftAddress.headers(revision: revision)
                ).json
                let raised = RaisedVersions(done)
                return PageRenderer.redirect("\(page)?raised=\(PageAddress.encode(raised.query))")
            } catch let problem as Problem where [412, 422].contains(problem.type.status) {
                // The page shows the draft as it is now.
                return PageRenderer.redirect("\(page)?raised=none")
            }
        }
    }

    /// What has to be raised in a draft; nothing if its files cannot be read.
    static func needed(_ address: DraftAddress, _ request: PageRequest) async throws -> RaisedVersions {
        do {
            return RaisedVersions(try await request.get("\(address.resource)/versions"))
        } catch let problem as Problem where problem.type == .draftInvalid {
            return RaisedVersions(.null)
        }
    }
}
