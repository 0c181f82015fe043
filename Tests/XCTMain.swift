import Foundation
import Testing

/// The program that runs the tests. SwiftPM writes one itself if this file is missing, but then it looks up the tests
/// of XCTest in the index, so a build needs the index. All tests of this package use Swift Testing.
@main struct TestProgram {
    static func main() async {
        // `swift test` starts the program once more for XCTest.
        guard CommandLine.arguments.contains("swift-testing") else { exit(0) }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
