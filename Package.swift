// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Targets stand bottom-up: a target may depend only on those above it. `docs/ARCHITECTURE.md` draws
// the same edges, and `ManifestTests` holds this file against that drawing.

/// Every C library is a folder with a module map and a thin header; nothing is compiled for it.
let systemLibraries: [Target] = [
    .systemLibrary(
        name: "CRoostSQLite", pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])])
]

/// The Swift modules and the edges between them.
let modules: [Target] = [
    .target(name: "RoostSQLite", dependencies: ["CRoostSQLite"]),
    .target(name: "RoostModel"),
    .target(name: "RoostCore", dependencies: ["RoostModel"]),
    .target(name: "RoostStore", dependencies: ["RoostSQLite", "RoostModel", "RoostCore"]),
    .target(name: "Roost", dependencies: ["RoostCore", "RoostModel"]),
    .target(name: "RoostTestKit", dependencies: ["Roost"]),
]

let tests: [Target] = [
    .testTarget(name: "RoostSQLiteTests", dependencies: ["RoostSQLite"]),
    .testTarget(name: "RoostCoreTests", dependencies: ["RoostCore", "RoostModel"]),
    .testTarget(
        name: "RoostStoreTests",
        dependencies: ["RoostSQLite", "RoostModel", "RoostCore", "RoostStore", "RoostTestKit"]),
    .testTarget(name: "RoostTestKitTests", dependencies: ["Roost", "RoostTestKit"]),
]

let package = Package(
    name: "Roost",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    targets: systemLibraries + modules + tests
)

/// One dialect for every module: see `docs/ARCHITECTURE.md`, "How the code is written".
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]
for target in package.targets where target.type != .system {
    target.swiftSettings = settings
}
