import SaunterCore
import SaunterPacks

/// A practice that a programme contains in some edition of the content library.
struct ProgrammeModule: Sendable, Hashable {
    /// The code of the programme.
    let programme: String
    /// The code of the practice.
    let module: String

    /// The modules of all programmes in any of the editions, each once, in the order in which they were published.
    /// Faults are ignored, because an edition can name practices that the study no longer has.
    static func all(in editions: [StudyDefinitions.Edition], of study: Study) -> [ProgrammeModule] {
        var seen: Set<ProgrammeModule> = []
        return editions.flatMap { edition in
            var texts: [String: String] = [:]
            for member in edition.files.object ?? [:] { texts[member.name] = member.value.string }
            return LibraryParser.publishedProgrammes(PackFiles(files: texts), of: study).flatMap {
                programme in
                programme.modules.map { ProgrammeModule(programme: programme.code, module: $0) }
            }
        }.filter { seen.insert($0).inserted }
    }
}
