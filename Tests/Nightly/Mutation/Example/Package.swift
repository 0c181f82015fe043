// swift-tools-version: 6.2
import PackageDescription

let flags: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// A tiny package with a known gap in its tests. `Tests/Nightly/test_mutants.py` tries the mutation tester on it.
let package = Package(
    name: "example",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "Orders", swiftSettings: flags),
        .target(name: "Unrelated", swiftSettings: flags),
        .testTarget(name: "OrdersTests", dependencies: ["Orders"], swiftSettings: flags),
        .testTarget(name: "UnrelatedTests", dependencies: ["Unrelated"], swiftSettings: flags),
    ]
)
