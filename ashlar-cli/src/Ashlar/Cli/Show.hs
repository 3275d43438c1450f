{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Cli.Show
-- Description : show and query
module Ashlar.Cli.Show
  ( Style (..),
    showValues,
    queryValues,
  )
where

import Ashlar.Builder (Builder)
import Ashlar.Cli.Console
import Ashlar.Cli.Ending
import Ashlar.Cli.Input
import Ashlar.Cli.Narrow
import Ashlar.Cli.Path
import Ashlar.Cli.Text
import Ashlar.Schema
import Ashlar.Schema.Internal.Json.Transcode (lineWithin, longestLine)
import Ashlar.Schema.Internal.Json.Values
import Control.Monad (unless, when)
import Data.IORef (newIORef, readIORef, writeIORef)
import qualified Data.List as List
import Data.Maybe (isJust, isNothing, listToMaybe)
import Data.Ord (comparing)
import qualified Data.Text as T
import System.Exit (ExitCode (..))

-- | How to show values.
data Style = AsText | AsJson

-- | Show values, one in a line.
showValues :: Handles -> Style -> Selection -> Input -> IO ExitCode
showValues handles style selection input = withLines handles $ \hs put -> do
  (_, end) <- foldInput hs selection input prepare (\_ line -> put line) ()
  pure (exitOf end)
  where
    prepare s = case style of
      AsJson -> getJsonLine s
      AsText -> getValue s >>= lineWithin "text" longestLine . textOf

writer :: Style -> Shapes -> Shape -> Value -> Builder
writer style shapes = case style of
  AsText -> const textOf
  AsJson -> jsonOf shapes

-- | Show parts of values, one in a line. It fails if no schema of the input has the path: at once,
-- or, for a stream of records, at its end.
queryValues :: Handles -> Style -> Selection -> Path -> Input -> IO ExitCode
queryValues hs style selection path input = do
  schemas <- schemasIn input
  let others = filter (isNothing . compiled) schemas
  when (not (null schemas) && length others == length schemas) $ failed (noSuchPart schemas)
  seen <- newIORef (Seen (not (null schemas)) (listToMaybe others))
  unless (null others) tell
  (_, end) <- foldInput hs selection input prepare (\_ x -> shown seen x) ()
  Seen anyHas other <- readIORef seen
  unless anyHas $ mapM_ (failed . noSuchPart . (: [])) other
  pure (exitOf end)
  where
    compiled s = let shapes = shapesOf (plainSchema s) in follow shapes (writer style shapes) path
    prepare s = case compiled narrow of
      Just parts -> Right . parts <$> getNarrow
      Nothing -> Left s <$ getValue s
      where
        (narrow, getNarrow) = narrowing path s
    shown seen x = do
      before <- readIORef seen
      case (x, before) of
        (Right _, Seen False other) -> writeIORef seen (Seen True other) >> mapM_ (const tell) other
        (Left s, Seen anyHas Nothing) -> writeIORef seen (Seen anyHas (Just s)) >> when anyHas tell
        _ -> pure ()
      mapM_ (mapM_ (putLine hs)) x
    tell = complain hs (inputPath input ++ ": records of another schema do not have " ++ shownPath)
    shownPath = T.unpack (showPath path)
    noSuchPart schemas =
      inputPath input ++ ": there is no " ++ T.unpack (showPath (known ++ [missing])) ++ hint
        ++ others
      where
        -- The longest beginning that a schema has, and the step after it.
        (shapes, known) =
          List.maximumBy (comparing (length . snd)) (map (beginning . shapesOf) schemas)
        missing = path !! length known
        hint = case missing of
          Named name | name `elem` ["Just", "Nothing"] -> ": a Maybe has no step of its own"
          _ -> ""
        others = case stepsAt shapes known of
          [] -> ""
          steps -> "; there is " ++ List.intercalate ", " (map (T.unpack . showPath . (: [])) steps)
        beginning ss = (ss, last (filter (has ss) (List.inits (init path))))
        has ss p = isJust (follow ss (\_ _ -> ()) p)

-- Is there a schema that has the path, and one that does not?
data Seen = Seen !Bool !(Maybe Schema)
