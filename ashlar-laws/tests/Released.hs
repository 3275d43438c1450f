{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Released
-- Description : Changes that break the data of a release are found
module Released (tests) where

import Ashlar.Codec (Codec)
import Ashlar.Schema (Described (..), added, renamedConstructor)
import Ashlar.Schema.Released
import Control.Exception (bracket_, try)
import qualified Data.ByteString as S
import Data.Text (Text)
import GHC.Generics (Generic)
import System.Directory (doesFileExist, listDirectory)
import System.Environment (setEnv, unsetEnv)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Test.Tasty
import Test.Tasty.HUnit

data Order = Order {item :: Text}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

-- With a default for what is new.
data Careful = Careful {item :: Text, count :: Int}
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Careful where
  evolution = [added @"count" (1 :: Int)]

data Careless = Careless {item :: Text, count :: Int}
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Colour = Red | Green
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Colours = Red' | Green' | Blue
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Described Colours where
  evolution = [renamedConstructor @"Red" @"Red'", renamedConstructor @"Green" @"Green'"]

-- All in one case, because they set the environment.
tests :: TestTree
tests = testCase "released schemas" . withSystemTempDirectory "ashlar-laws" $ \folder -> do
  let v1 = folder </> "schemas" </> "Order.v1"
      cannot what = [v1 ++ ": " ++ what]
      unreadable =
        cannot $
          "today's type cannot read its data: "
            ++ "Careless.count: the field is new; give it a default with added @\"count\" in the "
            ++ "evolution of Careless"
  missing <- compatible @Order Backward v1
  missing @?= cannot "no such schema; it is written if ASHLAR_RECORD_SCHEMAS is set"
  doesFileExist v1 >>= (@?= False)
  bracket_ (setEnv "ASHLAR_RECORD_SCHEMAS" "1") (unsetEnv "ASHLAR_RECORD_SCHEMAS") $ do
    compatible @Order Backward v1 >>= (@?= [])
    -- One that is there is compared, and stays.
    compatible @Careless Backward v1 >>= (@?= unreadable)
  compatible @Order Full v1 >>= (@?= [])
  compatible @Careful Full v1 >>= (@?= [])
  compatible @Careless Backward v1 >>= (@?= unreadable)
  let colour = folder </> "Colour.v1"
  recordSchema @Colour colour
  compatible @Colours Backward colour >>= (@?= [])
  forward <- compatible @Colours Full colour
  -- It does not say what to write in a release.
  forward
    @?= [ colour
            ++ ": that release cannot read today's data: Colour: the data may have a \
               \constructor Red' that the type does not have"
        ]
  recordSchema @Order v1
  listDirectory (folder </> "schemas") >>= (@?= ["Order.v1"])
  changed <- try (recordSchema @Careful v1)
  changed @?= Left (SchemaRecorded v1)
  S.writeFile v1 "\255"
  garbage <- compatible @Order Backward v1
  take 1 (map (take (length v1 + 14)) garbage) @?= [v1 ++ ": not a schema"]
