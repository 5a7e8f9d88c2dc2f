//! Where other programs keep their definitions, platform by platform.

use std::path::{Path, PathBuf};

use crate::environment::environment;

/// The files of other programs, and the directory to look for a project's from.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub zed: Option<PathBuf>,
    pub jetbrains: Option<PathBuf>,
    pub acpx: Option<PathBuf>,
    pub current: PathBuf,
}

/// What the paths depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Platform {
    Linux,
    MacOs,
    Windows,
}

impl Places {
    /// The places on this machine, for this user.
    #[must_use]
    pub fn here() -> Self {
        let platform = match std::env::consts::OS {
            "windows" => Platform::Windows,
            "macos" => Platform::MacOs,
            _ => Platform::Linux,
        };
        let home = etcetera::home_dir().ok();
        let variable = |name: &str| {
            environment().get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        let current = std::env::current_dir().unwrap_or_default();
        Self::on(platform, home.as_deref(), &variable, current)
    }

    /// Zed follows XDG on Linux, uses `~/.config` on macOS and `%APPDATA%` on Windows; JetBrains and
    /// acpx keep theirs in the home directory everywhere.
    fn on(
        platform: Platform,
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<PathBuf>,
        current: PathBuf,
    ) -> Self {
        let in_home = |path: &str| home.map(|home| home.join(path));
        let zed = match platform {
            Platform::Linux => variable("XDG_CONFIG_HOME")
                .filter(|path| path.is_absolute())
                .map(|config| config.join("zed/settings.json"))
                .or_else(|| in_home(".config/zed/settings.json")),
            Platform::MacOs => in_home(".config/zed/settings.json"),
            Platform::Windows => {
                variable("APPDATA").map(|data| data.join("Zed").join("settings.json"))
            }
        };
        Self {
            zed,
            jetbrains: in_home(".jetbrains/acp.json"),
            acpx: in_home(".acpx/config.json"),
            current,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_platform_has_its_places() {
        let variable = |name: &str| match name {
            "XDG_CONFIG_HOME" => Some(PathBuf::from("/xdg")),
            "APPDATA" => Some(PathBuf::from("C:\\Users\\a\\AppData\\Roaming")),
            _ => None,
        };
        let none = |_: &str| None;
        let home = Path::new("/home/a");
        let zed = |platform, variable: &dyn Fn(&str) -> Option<PathBuf>| {
            Places::on(platform, Some(home), variable, PathBuf::new()).zed
        };
        assert_eq!(zed(Platform::Linux, &variable), Some("/xdg/zed/settings.json".into()));
        assert_eq!(zed(Platform::Linux, &none), Some("/home/a/.config/zed/settings.json".into()));
        assert_eq!(
            zed(Platform::MacOs, &variable),
            Some("/home/a/.config/zed/settings.json".into())
        );
        let windows =
            PathBuf::from("C:\\Users\\a\\AppData\\Roaming").join("Zed").join("settings.json");
        assert_eq!(zed(Platform::Windows, &variable), Some(windows));
        assert_eq!(zed(Platform::Windows, &none), None);
        let linux = Places::on(Platform::Linux, Some(home), &none, PathBuf::new());
        assert_eq!(linux.jetbrains, Some("/home/a/.jetbrains/acp.json".into()));
        assert_eq!(linux.acpx, Some("/home/a/.acpx/config.json".into()));
        assert_eq!(Places::on(Platform::Linux, None, &none, PathBuf::new()).acpx, None);
    }
}
