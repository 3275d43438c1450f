{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Package
-- Description : A record of the package database
--
-- All instances are derived with Generics, for each library as its documentation shows.
module Package
  ( -- * Packages
    Package (..),
    namedPackage,
    Description (..),
    Priority (..),

    -- * Status
    Status (..),
    Selection (..),
    Flag (..),
    State (..),

    -- * Dependencies
    Dependency (..),
    Constraint (..),
    Operator (..),

    -- * Configuration files
    Conffile (..),
  )
where

import Ashlar.Codec (Codec)
import Control.DeepSeq (NFData)
import Data.Binary (Binary)
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as Map
import Data.Serialize (Serialize)
import Data.Store (Store)
import Data.Text (Text)
import GHC.Generics (Generic)
import Orphans ()

-- | A package. Only the name is always known, since little is left of a package that has been
-- removed.
data Package = Package
  { packageName :: !Text,
    packageVersion :: !(Maybe Text),
    packageStatus :: !(Maybe Status),
    packagePriority :: !(Maybe Priority),
    packageSection :: !(Maybe Text),
    packageMaintainer :: !(Maybe Text),
    packageArchitecture :: !(Maybe Text),
    -- | In KiB.
    packageInstalledSize :: !(Maybe Int),
    -- | The package needs one alternative of each of these.
    packageDepends :: ![[Dependency]],
    packageConffiles :: ![Conffile],
    packageDescription :: !(Maybe Description),
    -- | All other fields, with their values as in the file.
    packageOther :: !(Map Text Text)
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | A package of which only the name is known.
namedPackage :: Text -> Package
namedPackage name =
  Package
    { packageName = name,
      packageVersion = Nothing,
      packageStatus = Nothing,
      packagePriority = Nothing,
      packageSection = Nothing,
      packageMaintainer = Nothing,
      packageArchitecture = Nothing,
      packageInstalledSize = Nothing,
      packageDepends = [],
      packageConffiles = [],
      packageDescription = Nothing,
      packageOther = Map.empty
    }

-- | What a package is.
data Description = Description
  { descriptionSummary :: !Text,
    -- | The lines after the first, without their leading space. An empty line is a dot, as in the
    -- file.
    descriptionBody :: !Text
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | How much a system needs a package.
data Priority
  = Required
  | Important
  | Standard
  | Optional
  | Extra
  | -- | Other archives than Debian's use words of their own.
    OtherPriority !Text
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | The wanted state of a package, and its actual state.
data Status = Status
  { statusSelection :: !Selection,
    statusFlag :: !Flag,
    statusState :: !State
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | What the administrator wants.
data Selection = Unknown | Install | Hold | Deinstall | Purge
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | Is the package sound?
data Flag = Ok | ReinstallRequired
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | How far the installation has come.
data State
  = NotInstalled
  | ConfigFiles
  | HalfInstalled
  | Unpacked
  | HalfConfigured
  | TriggersAwaited
  | TriggersPending
  | Installed
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | Another package that one depends on.
data Dependency = Dependency
  { dependencyName :: !Text,
    -- | What follows the colon after the name.
    dependencyArchitecture :: !(Maybe Text),
    dependencyConstraint :: !(Maybe Constraint)
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | The versions that are acceptable.
data Constraint = Constraint
  { constraintOperator :: !Operator,
    constraintVersion :: !Text
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | How they compare with the given version.
data Operator = Earlier | EarlierOrEqual | Equal | LaterOrEqual | Later
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | A file of a package that the administrator may change.
data Conffile = Conffile
  { conffilePath :: !Text,
    -- | The MD5 sum of the original file, or @newconffile@.
    conffileDigest :: !Text,
    -- | @obsolete@ or @remove-on-upgrade@, usually nothing.
    conffileFlags :: ![Text]
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)
