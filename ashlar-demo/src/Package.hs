{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Package
-- Description : A record of the package database
--
-- All instances are derived with Generics, for each library in the way that its
-- documentation shows.
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

-- | A package. Only the name is always there: what is known of a package that
-- has been removed is little.
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
    -- | All of these are needed; of each, one alternative.
    packageDepends :: ![[Dependency]],
    packageConffiles :: ![Conffile],
    packageDescription :: !(Maybe Description),
    -- | The fields that are not above, with their values as they are in the
    -- file.
    packageOther :: !(Map Text Text)
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | A package of which nothing but the name is known.
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
    -- | The lines after the first, without the space that each begins with. An
    -- empty line is a dot, as in the file.
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
  | -- | Archives other than Debian's have words of their own.
    OtherPriority !Text
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | What should be with a package, and what is.
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
    -- | What follows a colon behind the name.
    dependencyArchitecture :: !(Maybe Text),
    dependencyConstraint :: !(Maybe Constraint)
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | The versions that will do.
data Constraint = Constraint
  { constraintOperator :: !Operator,
    constraintVersion :: !Text
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | How they compare to the one that is given.
data Operator = Earlier | EarlierOrEqual | Equal | LaterOrEqual | Later
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)

-- | A file of a package that the administrator may change.
data Conffile = Conffile
  { conffilePath :: !Text,
    -- | The MD5 of the file as it came, or @newconffile@.
    conffileDigest :: !Text,
    -- | @obsolete@ or @remove-on-upgrade@, mostly none.
    conffileFlags :: ![Text]
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec, Binary, Serialize, Store, NFData)
