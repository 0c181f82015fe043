import HTTPTypes
import SaunterCore
import SaunterServer

/// The addresses of the pages and of the routes of one study's draft.
struct DraftAddress {
    let study: String

    /// The page with the state of the draft.
    var page: String { "\(PageAddress.staff(study))/draft" }
    /// The draft in the API.
    var resource: String { "\(StudyRoute.resource(study))/draft" }

    /// A page below the page of the draft, such as `words`.
    func page(_ name: String) -> String { "\(page)/\(name)" }

    /// The page of a file.
    /// - Parameter line: the line that the page shows; nil for the beginning.
    func file(_ path: String, line: Int? = nil) -> String {
        let address = "\(page)/file?path=\(PageAddress.encode(path))"
        return line.map { "\(address)&line=\($0)#text" } ?? address
    }

    /// The address of a picture, sound or film.
    func media(_ path: String) -> String { "\(page)/file/media?path=\(PageAddress.encode(path))" }

    /// The model of the template `staff_draft_faults`: the faults, with the way to the draft.
    /// - Parameter problem: `draft-invalid`.
    func faults(_ problem: Problem) -> [String: Any] { ["faults": problem.lines, "draft": page] }

    /// The query of the route of a file.
    static func query(path: String) -> String { "path=\(PageAddress.encode(path))" }

    /// The header with which a change of the draft states what it changes.
    static func headers(revision: Int) -> HTTPFields { [.ifMatch: EntityTag(String(revision)).description] }
}

/// The routes of one study in the API.
enum StudyRoute {
    static func resource(_ study: String) -> String { "/v1/studies/\(PageAddress.encodePart(study))" }
}
