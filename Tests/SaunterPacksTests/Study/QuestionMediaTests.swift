import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// The pictures, sounds and films of questions, which are files in the folders of the instruments.
struct QuestionMediaTests {
    private static let folder = "instruments/enough_worry/1.0.1/"
    private static let film = folder + "media/breath.mp4"
    private static let wav = [UInt8]("RIFF\u{0}\u{0}\u{0}\u{0}WAVE".utf8)

    private static func read(_ files: PackFiles) -> (media: [String: MediaFile], faults: [String]) {
        var parser = StudyParser(files: files, folder: "studies/alter-ego/")
        let study = parser.study(code: "alter-ego", skipsRules: false)
        return (
            study?.brand.questionMedia ?? [:],
            parser.faults.map { "\($0.file.dropFirst(folder.count)): \($0.message)" }
        )
    }

    @Test func `the film and the pictures of a study are read`() throws {
        let (media, faults) = try Self.read(RealPacks.study("alter-ego"))

        let film = try #require(media["enough_worry/1.0.1/media/breath.mp4"])
        #expect(film.format == .mp4 && film.name.hasSuffix(".mp4") && film.bytes.count < 400_000)
        #expect(media["control_view/1.0.0/media/roofs.png"]?.format == .png)
        #expect(faults == [])
    }

    @Test func `a sound is read, and a file of another kind is a fault`() throws {
        let files = try RealPacks.study("alter-ego")
        let sound = try files.replacing(
            "type: video", with: "type: audio", in: Self.folder + "questionnaire.yaml")

        let (media, none) = Self.read(sound.setting(Self.film, PackFiles.encoded(Data(Self.wav))))
        #expect(media["enough_worry/1.0.1/media/breath.mp4"]?.format == .wav && none == [])

        #expect(
            Self.read(sound).faults
                == ["media/breath.mp4: a sound is an MP3, Ogg, WAV or M4A file of at most 1 MiB"])
        #expect(
            Self.read(files.setting(Self.film, PackFiles.encoded(Data(Self.wav)))).faults
                == ["media/breath.mp4: a film is an MP4 or WebM file of at most 1 MiB"])
    }

    @Test(arguments: [(0, true), (1, false)])
    func `a sound has at most 1 MiB, and a picture 256 KiB`(_ more: Int, _ isRead: Bool) {
        func file(_ head: [UInt8], _ count: Int) -> [UInt8] {
            head + [UInt8](repeating: 0, count: count + more - head.count)
        }

        #expect((MediaFile(file(Self.wav, 1 << 20), kind: .audio) != nil) == isRead)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        #expect((MediaFile(file(png, 256 << 10)) != nil) == isRead)
    }
}
