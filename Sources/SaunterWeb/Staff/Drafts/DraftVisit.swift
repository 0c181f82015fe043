import SaunterCore
import SaunterServer
import SaunterStore

/// What every page of a draft begins with: the study, the draft and the frame.
struct DraftVisit {
    let address: DraftAddress
    /// The draft, read before anything else of it. A change after that is noticed by its revision.
    let view: DraftView
    /// The study as the menu shows it; nil for a study that was never published.
    private let published: StaffStudyView?
    let request: PageRequest

    var study: String { address.study }
    var isEditor: Bool { Self.isEditor(of: study, request) }

    /// - Throws: `not-found` if there is no draft, or if the visitor has no role in the study.
    init(_ request: PageRequest) async throws {
        _ = try request.requireIdentity()
        let address = DraftAddress(study: try request.path("study"))
        let view = DraftView(try await request.get(address.resource), study: address.study, request.words)
        published =
            if view.basedOn == nil { nil } else {
                StaffStudyView(try await StaffStudyView.item(of: address.study, request), request.words)
            }
        self.address = address
        self.view = view
        self.request = request
    }

    /// - Throws: `not-permitted` if the visitor may not change the draft.
    func requireEditor() throws {
        guard isEditor else { throw Problem(.notPermitted) }
    }

    static func isEditor(of study: String, _ request: PageRequest) -> Bool {
        request.identity?.grant(.editor, study: study) != nil
    }

    /// The frame of a page of the draft.
    /// - Parameter isBelow: whether the page is below the page with the state of the draft.
    func frame(isBelow: Bool) -> PageFrame {
        Self.frame(
            address, title: view.title, published, isBelow: isBelow, request)
    }

    /// - Parameter published: nil if the study has no published version. Then it has no other pages.
    static func frame(
        _ address: DraftAddress, title: String, _ published: StaffStudyView?, isBelow: Bool,
        _ request: PageRequest
    ) -> PageFrame {
        var frame: PageFrame
        if let published {
            frame = StaffFrame.study(published, title: title, nil, request)
        } else {
            frame = StaffFrame.plain
            frame.studyTitle = title
            frame.home = address.page
            frame.breadcrumb = [
                PageFrame.Link(title: request.words.text("staff", "title"), address: "/staff")
            ]
        }
        if isBelow {
            frame.breadcrumb.append(
                PageFrame.Link(title: request.words.text("draft", "title"), address: address.page))
        }
        frame.styles.append("draft")
        return frame
    }

    /// The frame of a page below the page of the draft.
    /// - Parameter title: the title of the study; nil for the published one.
    static func frame(below study: String, title: String? = nil, _ request: PageRequest) async throws
        -> PageFrame
    {
        let owner = try await StudyOfVersions(study, request)
        return frame(
            DraftAddress(study: study), title: title ?? owner.title, owner.isPublished ? owner.view : nil,
            isBelow: true, request)
    }

    /// The links between the pages of the draft.
    /// - Parameter current: the name of the page; empty for the page with the state of the draft.
    func steps(_ current: String) -> [[String: Any]] { Self.steps(current, of: address, request) }

    static func steps(_ current: String, of address: DraftAddress, _ request: PageRequest) -> [[String: Any]]
    {
        let isEditor = isEditor(of: address.study, request)
        let names =
            ["", "words", "schedule", "collections", "programmes"] + (isEditor ? ["import"] : []) + [
                "dry-run", "try",
            ]
            + (isEditor ? ["publish"] : [])
        return names.map { name in
            let word = name.isEmpty ? "state" : name.replacing("-", with: "_")
            return [
                "title": request.words.text("draft", "step_\(word)"),
                "address": name.isEmpty ? address.page : address.page(name), "current": name == current,
            ]
        }
    }
}
